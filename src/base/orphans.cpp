#include "base/orphans.h"

#include <algorithm>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::base {

namespace {

// "PID (NAME) STATE PARENT ...", in which a name may hold anything.
bool has_parent(std::string_view stat, pid_t parent) {
    const auto name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) return false;
    const auto words = split_words(stat.substr(name_end + 1));
    return words.size() > 1 && parse_u64(words[1]) == static_cast<std::uint64_t>(parent);
}

// /proc/PID/task/TID/children is not in every kernel.
std::vector<pid_t> own_children() {
    std::vector<pid_t> found;
    const SysRoot root;
    for (const auto& name : root.list("/proc").value_or({})) {
        const auto pid = parse_u64(name);
        if (!pid) continue;
        const auto stat = root.read("/proc/" + name + "/stat");
        if (stat && has_parent(*stat, ::getpid())) found.push_back(static_cast<pid_t>(*pid));
    }
    return found;
}

}  // namespace

Orphans::Orphans() : before_(own_children()) {
    ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, was_reaper_);
}

std::vector<pid_t> Orphans::arrived() const {
    std::vector<pid_t> children = own_children();
    const auto ours = [&](pid_t pid) {
        return std::find(before_.begin(), before_.end(), pid) != before_.end();
    };
    children.erase(std::remove_if(children.begin(), children.end(), ours), children.end());
    return children;
}

void Orphans::end() const {
    for (auto left = arrived(); !left.empty(); left = arrived()) {
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
        for (const pid_t pid : left) ::waitpid(pid, nullptr, 0);
    }
}

}  // namespace ringside::base
