#include "cli/stat_targets.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "components/cpu/places.h"
#include "proc/cpus.h"
#include "proc/task.h"

namespace ringside::cli {

namespace {

using base::fail;

StatPlace thread_place(int tid) {
    const auto name = proc::read_name(base::SysRoot(), tid);
    return {fmt::format("thread {} ({})", tid, name.value_or("?")), Target::thread(tid), false};
}

std::vector<int> online_cpus() {
    return proc::online_cpus(base::SysRoot()).value_or({});
}

std::vector<StatPlace> each_cpu(const std::vector<int>& cpus) {
    std::vector<StatPlace> places;
    places.reserve(cpus.size());
    for (const int cpu : cpus) {
        places.push_back({fmt::format("CPU {}", cpu), Target::on_cpus({cpu}), false});
    }
    return places;
}

}  // namespace

void StatTargets::declare(Options& options) {
    options.text("-p, --pid", "PIDS", pids_text_, "count these processes, and what they start");
    options.text("-t, --tid", "TIDS", tids_text_, "count these threads");
    options.flag("-a, --all-cpus", system_, "count the whole machine");
    options.text("-C, --cpu", "LIST", cpus_text_, "count these CPUs: 0-3,8");
    options.text("--cgroup", "PATH", cgroup_, "count a cgroup, named below /sys/fs/cgroup");
    options.flag("--per-thread", per_thread_, "with -p or -t: each thread for itself");
    options.flag("--per-cpu", per_cpu_, "with -a or -C: each CPU for itself");
}

Result<void> StatTargets::choose_kind(bool with_command) {
    const std::vector<std::pair<bool, Kind>> choices = {{!pids_text_.empty(), Kind::processes},
                                                        {!tids_text_.empty(), Kind::threads},
                                                        {!cgroup_.empty(), Kind::cgroup},
                                                        {!cpus_text_.empty(), Kind::cpus},
                                                        {system_, Kind::system}};
    const auto given = std::count_if(choices.begin(), choices.end(),
                                     [](const auto& choice) { return choice.first; });
    // "-a -C 0" is what perf's users write for "-C 0".
    const bool both = system_ && !cpus_text_.empty() && given == 2;
    if (given > 1 && !both) {
        return fail(ErrorCode::bad_input, "-p, -t, -a, -C and --cgroup exclude each other");
    }
    for (const auto& [chosen, kind] : choices) {
        if (!chosen) continue;
        kind_ = kind;
        return {};
    }
    if (with_command) return {};
    return fail(ErrorCode::bad_input, "nothing to count",
                "give a command after --, or -p, -t, -a, -C or --cgroup");
}

Result<void> StatTargets::check_breakdown() const {
    if (per_thread_ && kind_ != Kind::processes && kind_ != Kind::threads) {
        return fail(ErrorCode::bad_input, "--per-thread needs threads that are there already",
                    "name a process with -p, or threads with -t");
    }
    if (per_cpu_ && kind_ != Kind::system && kind_ != Kind::cpus) {
        return fail(ErrorCode::bad_input, "--per-cpu needs -a or -C",
                    "a program's events are counted wherever it runs");
    }
    return {};
}

Result<void> StatTargets::check_existence() const {
    const base::SysRoot root;
    const char* what = kind_ == Kind::threads ? "thread" : "process";
    for (const int id : ids_) {
        if (root.exists(fmt::format("/proc/{}", id))) continue;
        return fail(ErrorCode::not_found, fmt::format("no {} {}", what, id),
                    "it may have ended; `ps` shows those that run");
    }
    const auto online = online_cpus();
    for (const int cpu : cpus_) {
        if (std::find(online.begin(), online.end(), cpu) != online.end()) continue;
        return fail(ErrorCode::not_found, fmt::format("no CPU {}", cpu),
                    std::string(proc::online_cpus_path) + " lists those there are");
    }
    if (kind_ != Kind::cgroup) return {};
    SetOptions options;
    options.target = Target::in_cgroup(cgroup_);
    const auto found = components::cpu::find_places(root, options);
    return found ? Result<void>() : Result<void>(found.error());
}

Result<void> StatTargets::check(bool with_command) {
    if (auto chosen = choose_kind(with_command); !chosen) return chosen;
    if (auto fits = check_breakdown(); !fits) return fits;
    if (kind_ == Kind::processes || kind_ == Kind::threads) {
        const bool threads = kind_ == Kind::threads;
        auto ids = parse_ids(threads ? tids_text_ : pids_text_, threads ? "thread" : "process");
        if (!ids) return ids.error();
        ids_ = std::move(*ids);
    }
    if (kind_ == Kind::system) cpus_ = online_cpus();
    if (kind_ == Kind::cpus) {
        auto cpus = base::parse_cpu_list(cpus_text_);
        if (!cpus || cpus->empty()) {
            return fail(ErrorCode::bad_input, "not a list of CPUs: " + cpus_text_);
        }
        cpus_ = std::move(*cpus);
    }
    return check_existence();
}

Result<std::vector<StatPlace>> StatTargets::threads_of_processes() const {
    std::vector<StatPlace> places;
    for (const int pid : ids_) {
        const auto tids = proc::list_threads(base::SysRoot(), pid);
        if (!tids) return fail(ErrorCode::not_found, fmt::format("no process {}", pid));
        for (const pid_t tid : *tids) places.push_back(thread_place(tid));
    }
    return places;
}

Result<std::vector<StatPlace>> StatTargets::places(int child) const {
    std::vector<StatPlace> places;
    const bool several = ids_.size() > 1;
    switch (kind_) {
        case Kind::command:
            places.push_back({"", Target::process(child), true});
            break;
        case Kind::processes:
            if (per_thread_) return threads_of_processes();
            for (const int pid : ids_) {
                places.push_back(
                    {several ? fmt::format("process {}", pid) : "", Target::process(pid), true});
            }
            break;
        case Kind::threads:
            for (const int tid : ids_) {
                places.push_back(several || per_thread_
                                     ? thread_place(tid)
                                     : StatPlace{"", Target::thread(tid), false});
            }
            break;
        case Kind::cpus:
            if (per_cpu_) return each_cpu(cpus_);
            places.push_back({"", Target::on_cpus(cpus_), false});
            break;
        case Kind::system:
            if (per_cpu_) return each_cpu(cpus_);
            places.push_back({"", Target::system(), false});
            break;
        case Kind::cgroup:
            places.push_back({"", Target::in_cgroup(cgroup_), false});
            break;
    }
    return places;
}

std::vector<Target> StatTargets::time_targets(int child) const {
    std::vector<Target> targets;
    switch (kind_) {
        case Kind::command:
            return {Target::process(child)};
        case Kind::processes:
            for (const int pid : ids_) targets.push_back(Target::process(pid));
            return targets;
        case Kind::threads:
            for (const int tid : ids_) targets.push_back(Target::thread(tid));
            return targets;
        case Kind::cpus:
            return {Target::on_cpus(cpus_)};
        case Kind::system:
            return {Target::system()};
        case Kind::cgroup:
            return {Target::in_cgroup(cgroup_)};
    }
    return targets;
}

// A thread's end shows at its process, which may live on; then Ctrl-C ends the measurement.
int StatTargets::awaited_process() const {
    if (ids_.size() != 1) return 0;
    if (kind_ == Kind::processes) return ids_.front();
    return proc::process_of(base::SysRoot(), ids_.front()).value_or(0);
}

std::string StatTargets::subject() const {
    const auto list = [](const std::vector<int>& numbers) {
        return fmt::format("{}", fmt::join(numbers, ", "));
    };
    switch (kind_) {
        case Kind::processes:
            return (ids_.size() > 1 ? "processes " : "process ") + list(ids_);
        case Kind::threads:
            return (ids_.size() > 1 ? "threads " : "thread ") + list(ids_);
        case Kind::cpus:
            return (cpus_.size() > 1 ? "CPUs " : "CPU ") + list(cpus_);
        case Kind::cgroup:
            return "cgroup " + cgroup_;
        case Kind::system:
        case Kind::command:
            break;
    }
    return "the machine";
}

}  // namespace ringside::cli
