#include "proc/orphans.h"

#include <algorithm>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "proc/task.h"

namespace ringside::proc {

namespace {

// /proc/PID/task/TID/children is not in every kernel.
std::vector<pid_t> own_children() {
    std::vector<pid_t> found;
    const base::SysRoot root;
    for (const pid_t pid : list_processes(root).value_or({})) {
        const auto stat = read_process_stat(root, pid);
        if (stat && stat->parent == ::getpid()) found.push_back(pid);
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

}  // namespace ringside::proc
