#include "components/cpu/places.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "proc/cpus.h"
#include "proc/mounts.h"
#include "proc/task.h"

namespace ringside::components::cpu {

namespace {

using base::fail;
using base::SysRoot;

Places on_cpus(const std::vector<int>& cpus) {
    Places places;
    places.cpu_wide = true;
    for (const int cpu : cpus) places.targets.push_back({-1, cpu});
    return places;
}

Result<Places> on_all_cpus(const SysRoot& root) {
    const auto cpus = proc::online_cpus(root);
    if (!cpus) return cpus.error();
    Places places = on_cpus(*cpus);
    places.may_vanish = true;
    return places;
}

Result<Places> on_threads_of(const SysRoot& root, int pid) {
    const auto tids = proc::list_threads(root, pid == 0 ? ::getpid() : pid);
    if (!tids) {
        return fail(ErrorCode::not_found, "no process " + std::to_string(pid),
                    "it may have ended; `ps` shows those that run");
    }
    Places places;
    places.may_vanish = true;
    for (const pid_t tid : *tids) places.targets.push_back({tid, -1});
    return places;
}

// The controller that version 1 has for perf, or the unified hierarchy, which may lie beside
// version 1 or be all there is.
Result<Places> in_cgroup(const SysRoot& root, const std::string& path) {
    auto places = on_all_cpus(root);
    if (!places) return places;
    auto folders = proc::cgroup_folders(path);
    folders.insert(folders.begin(), proc::cgroup_v1_folder("perf_event", path));
    for (const auto& folder : folders) {
        places->cgroup =
            base::Fd(::open(root.locate(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (places->cgroup) break;
    }
    if (!places->cgroup) {
        return base::fail_errno(errno, "cannot open the cgroup " + path,
                                "give its path below /sys/fs/cgroup");
    }
    for (auto& target : places->targets) target.cgroup_fd = places->cgroup.get();
    return places;
}

Result<Places> targets_of(const SysRoot& root, const Target& target) {
    Places places;
    switch (target.kind) {
        case Target::Kind::calling_thread:
            places.targets.push_back({target.id == 0 ? ::gettid() : target.id, -1});
            places.own_thread = places.targets.front().pid == ::gettid();
            return places;
        case Target::Kind::thread:
            places.targets.push_back({target.id, -1});
            return places;
        case Target::Kind::process:
            return on_threads_of(root, target.id);
        case Target::Kind::cpus:
            if (target.cpus.empty()) return fail(ErrorCode::bad_input, "no CPU to count on");
            return on_cpus(target.cpus);
        case Target::Kind::system:
            return on_all_cpus(root);
        case Target::Kind::cgroup:
            return in_cgroup(root, target.cgroup);
    }
    return fail(ErrorCode::bad_input, "an unknown kind of target");
}

}  // namespace

Result<Places> find_places(const SysRoot& root, const SetOptions& options) {
    auto places = targets_of(root, options.target);
    if (!places || places->cpu_wide) return places;
    const bool process = options.target.kind == Target::Kind::process;
    places->options.inherit = options.inherit || process;
    places->options.inherit_thread = process && !options.inherit;
    places->options.enable_on_exec = options.start_on_exec;
    places->own_thread = places->own_thread && !places->options.inherit;
    return places;
}

}  // namespace ringside::components::cpu
