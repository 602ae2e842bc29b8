#include "components/cpu/places.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::components::cpu {

namespace {

using base::fail;
using base::SysRoot;

Result<std::vector<int>> online_cpus(const SysRoot& root) {
    const auto text = root.read_trimmed("/sys/devices/system/cpu/online");
    if (!text) return text.error();
    const auto cpus = base::parse_cpu_list(*text);
    if (!cpus || cpus->empty()) return fail(ErrorCode::io, "cannot read the list of CPUs");
    return *cpus;
}

Places on_cpus(const std::vector<int>& cpus) {
    Places places;
    places.cpu_wide = true;
    for (const int cpu : cpus) places.targets.push_back({-1, cpu});
    return places;
}

Result<Places> on_all_cpus(const SysRoot& root) {
    const auto cpus = online_cpus(root);
    if (!cpus) return cpus.error();
    Places places = on_cpus(*cpus);
    places.may_vanish = true;
    return places;
}

Result<Places> on_threads_of(const SysRoot& root, int pid) {
    const std::string tasks = "/proc/" + std::to_string(pid == 0 ? ::getpid() : pid) + "/task";
    const auto names = root.list(tasks);
    if (!names) {
        return fail(ErrorCode::not_found, "no process " + std::to_string(pid),
                    "it may have ended; `ps` shows those that run");
    }
    Places places;
    places.may_vanish = true;
    for (const auto& name : *names) {
        if (const auto tid = base::parse_u64(name)) {
            places.targets.push_back({static_cast<pid_t>(*tid), -1});
        }
    }
    return places;
}

// The controller that version 1 has for perf, or the unified hierarchy, which may lie beside
// version 1 or be all there is.
Result<Places> in_cgroup(const SysRoot& root, const std::string& path) {
    auto places = on_all_cpus(root);
    if (!places) return places;
    const std::string below = path.starts_with('/') ? path : "/" + path;
    for (const std::string mount :
         {"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
        const std::string folder = root.locate(mount + below);
        places->cgroup = base::Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
