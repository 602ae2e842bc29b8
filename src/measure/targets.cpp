#include "measure/targets.h"

#include <algorithm>
#include <climits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/sys_root.h"
#include "base/text.h"
#include "components/cpu/places.h"
#include "proc/cpus.h"
#include "proc/task.h"

namespace ringside::measure {

namespace {

using base::fail;

TargetPart thread_place(int tid) {
    const auto name = proc::read_name(base::SysRoot(), tid);
    return {fmt::format("thread {} ({})", tid, name.value_or("?")), Target::thread(tid), false};
}

std::vector<int> online_cpus() {
    return proc::online_cpus(base::SysRoot()).value_or({});
}

std::vector<TargetPart> each_cpu(const std::vector<int>& cpus) {
    std::vector<TargetPart> parts;
    parts.reserve(cpus.size());
    for (const int cpu : cpus) {
        parts.push_back({fmt::format("CPU {}", cpu), Target::on_cpus({cpu}), false});
    }
    return parts;
}

}  // namespace

Result<std::vector<int>> parse_ids(std::string_view text, std::string_view what) {
    std::vector<int> ids;
    for (const auto word : base::split(text, ',')) {
        const auto id = base::parse_u64(base::trim(word));
        if (!id || *id == 0 || *id > INT_MAX) {
            return fail(ErrorCode::bad_input, fmt::format("not a {} id: {}", what, word));
        }
        ids.push_back(static_cast<int>(*id));
    }
    return ids;
}

Result<void> Targets::choose_kind(const TargetWords& words) {
    const std::vector<std::pair<bool, Kind>> choices = {{!words.pids.empty(), Kind::processes},
                                                        {!words.tids.empty(), Kind::threads},
                                                        {!words.cgroup.empty(), Kind::cgroup},
                                                        {!words.cpus.empty(), Kind::cpus},
                                                        {words.all, Kind::system}};
    const auto given = std::count_if(choices.begin(), choices.end(),
                                     [](const auto& choice) { return choice.first; });
    // "-a -C 0" is what perf's users write for "-C 0".
    const bool both = words.all && !words.cpus.empty() && given == 2;
    if (given > 1 && !both) {
        return fail(ErrorCode::bad_input, "-p, -t, -a, -C and --cgroup exclude each other");
    }
    for (const auto& [chosen, kind] : choices) {
        if (!chosen) continue;
        kind_ = kind;
        break;
    }
    return {};
}

Result<void> Targets::check_breakdown() const {
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

Result<void> Targets::check_existence() const {
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

Result<void> Targets::read_numbers(const TargetWords& words) {
    if (kind_ == Kind::processes || kind_ == Kind::threads) {
        const bool threads = kind_ == Kind::threads;
        auto ids = parse_ids(threads ? words.tids : words.pids, threads ? "thread" : "process");
        if (!ids) return ids.error();
        ids_ = std::move(*ids);
    }
    if (kind_ == Kind::system) cpus_ = online_cpus();
    if (kind_ == Kind::cpus) {
        auto cpus = base::parse_cpu_list(words.cpus);
        if (!cpus || cpus->empty()) {
            return fail(ErrorCode::bad_input, "not a list of CPUs: " + words.cpus);
        }
        cpus_ = std::move(*cpus);
    }
    return {};
}

Result<Targets> Targets::parse(const TargetWords& words) {
    Targets targets;
    targets.cgroup_ = words.cgroup;
    targets.per_thread_ = words.per_thread;
    targets.per_cpu_ = words.per_cpu;
    if (auto chosen = targets.choose_kind(words); !chosen) return chosen.error();
    if (auto fits = targets.check_breakdown(); !fits) return fits.error();
    if (auto read = targets.read_numbers(words); !read) return read.error();
    if (auto exists = targets.check_existence(); !exists) return exists.error();
    return targets;
}

Result<std::vector<TargetPart>> Targets::threads_of_processes() const {
    std::vector<TargetPart> parts;
    for (const int pid : ids_) {
        const auto tids = proc::list_threads(base::SysRoot(), pid);
        if (!tids) return fail(ErrorCode::not_found, fmt::format("no process {}", pid));
        for (const pid_t tid : *tids) parts.push_back(thread_place(tid));
    }
    return parts;
}

Result<std::vector<TargetPart>> Targets::parts(pid_t command) const {
    std::vector<TargetPart> parts;
    const bool several = ids_.size() > 1;
    switch (kind_) {
        case Kind::command:
            parts.push_back({"", Target::process(command), true});
            break;
        case Kind::processes:
            if (per_thread_) return threads_of_processes();
            for (const int pid : ids_) {
                parts.push_back(
                    {several ? fmt::format("process {}", pid) : "", Target::process(pid), true});
            }
            break;
        case Kind::threads:
            for (const int tid : ids_) {
                parts.push_back(several || per_thread_
                                    ? thread_place(tid)
                                    : TargetPart{"", Target::thread(tid), false});
            }
            break;
        case Kind::cpus:
            if (per_cpu_) return each_cpu(cpus_);
            parts.push_back({"", Target::on_cpus(cpus_), false});
            break;
        case Kind::system:
            if (per_cpu_) return each_cpu(cpus_);
            parts.push_back({"", Target::system(), false});
            break;
        case Kind::cgroup:
            parts.push_back({"", Target::in_cgroup(cgroup_), false});
            break;
    }
    return parts;
}

std::vector<Target> Targets::whole(pid_t command) const {
    std::vector<Target> targets;
    switch (kind_) {
        case Kind::command:
            return {Target::process(command)};
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

Result<void> Targets::sample(const base::SysRoot& root, pid_t command, record::Settings& settings,
                             base::Fd& cgroup) const {
    const bool wide = !has_threads() || kind_ == Kind::system;
    settings.start_on_exec = of_command();
    settings.inherit = of_command() || kind_ == Kind::processes;
    settings.all_processes = wide;
    for (const Target& target : of_command() ? std::vector{Target::thread(command)} : whole(0)) {
        SetOptions options;
        options.target = target;
        auto found = components::cpu::find_places(root, options);
        if (!found) return found.error();
        settings.targets.insert(settings.targets.end(), found->targets.begin(),
                                found->targets.end());
        if (found->cgroup) cgroup = std::move(found->cgroup);
    }
    return {};
}

Awaited Targets::awaited() const {
    if (kind_ == Kind::processes) return {ids_, {}};
    if (kind_ == Kind::threads) return {{}, ids_};
    return {};
}

// A thread's end shows at its process, which may live on; then Ctrl-C ends the measurement.
int Targets::awaited_process() const {
    if (ids_.size() != 1) return 0;
    if (kind_ == Kind::processes) return ids_.front();
    return proc::process_of(base::SysRoot(), ids_.front()).value_or(0);
}

std::string Targets::subject() const {
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

}  // namespace ringside::measure
