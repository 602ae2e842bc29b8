#include "clocks/threads.h"

#include <algorithm>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "proc/task.h"

namespace ringside::clocks {

namespace {

// The kernel's number for the CPU clock of a process or thread (linux/posix-timers.h,
// make_process_cpuclock): the complement of the id, then CPUCLOCK_SCHED, and a bit for threads.
clockid_t cpu_clock_of(pid_t id, bool is_thread) {
    constexpr clockid_t by_scheduler = 2;
    constexpr clockid_t per_thread = 4;
    return static_cast<clockid_t>(
        (~static_cast<unsigned>(id) << 3) |
        static_cast<unsigned>(by_scheduler | (is_thread ? per_thread : 0)));
}

}  // namespace

Result<Subject> find_thread(const base::SysRoot& root, pid_t tid) {
    if (tid == 0 || tid == ::gettid()) return Subject{Subject::Extent::thread, ::gettid(), true};
    const auto process = proc::process_of(root, tid);
    if (!process) return base::fail(ErrorCode::not_found, "no thread " + std::to_string(tid));
    return Subject{Subject::Extent::thread, tid, *process == ::getpid()};
}

Result<Subject> find_process(const base::SysRoot& root, pid_t pid, Follow follow) {
    const pid_t id = pid == 0 ? ::getpid() : pid;
    if (proc::process_of(root, id).value_or(0) != id) {
        return base::fail(ErrorCode::not_found, "no process " + std::to_string(id));
    }
    const auto extent = follow == Follow::children ? Subject::Extent::process_and_children
                                                   : Subject::Extent::process;
    return Subject{extent, id, id == ::getpid()};
}

Result<std::vector<pid_t>> list_threads(const base::SysRoot& root, const Subject& subject) {
    if (subject.extent == Subject::Extent::thread) return std::vector<pid_t>{subject.id};
    return proc::list_threads(root, subject.id);
}

std::optional<CpuTime> read_cpu_time(const base::SysRoot& root, const Subject& subject) {
    const bool is_thread = subject.extent == Subject::Extent::thread;
    if (is_thread && !subject.own) {
        // The kernel shows a thread's clock to its own process only; this is its last settlement.
        constexpr std::uint64_t longest_tick_ns = 10'000'000;
        const auto stat = proc::read_schedstat(root, subject.id);
        if (!stat) return std::nullopt;
        return CpuTime{stat->cpu_ns, longest_tick_ns};
    }
    const auto ns = base::read_clock_ns(cpu_clock_of(subject.id, is_thread));
    if (!ns) return std::nullopt;
    return CpuTime{*ns, 0};
}

bpf::Follow follow_of(const Subject& subject) {
    switch (subject.extent) {
        case Subject::Extent::thread:
            return bpf::Follow::none;
        case Subject::Extent::process:
            return bpf::Follow::threads;
        case Subject::Extent::process_and_children:
            break;
    }
    return bpf::Follow::children;
}

Result<void> add_threads(const base::SysRoot& root, const Subject& subject,
                         const std::function<Result<void>(pid_t)>& add) {
    std::vector<pid_t> known;
    constexpr int most_rounds = 16;  // a process that makes threads all the time is covered by then
    for (int round = 0; round < most_rounds; ++round) {
        auto tids = list_threads(root, subject);
        if (!tids) return tids.error();
        if (*tids == known) return {};
        for (const pid_t tid : *tids) {
            if (std::binary_search(known.begin(), known.end(), tid)) continue;
            auto added = add(tid);
            if (!added && added.error().code == ErrorCode::busy) return added;
        }
        known = std::move(*tids);
    }
    return {};
}

std::uint64_t read_switches(const base::SysRoot& root, const Subject& subject) {
    if (subject.extent == Subject::Extent::thread && subject.id == ::gettid()) {
        rusage own{};  // the same number, without opening a file
        ::getrusage(RUSAGE_THREAD, &own);
        return static_cast<std::uint64_t>(own.ru_nvcsw + own.ru_nivcsw);
    }
    std::uint64_t arrivals = 0;
    for (const pid_t tid : list_threads(root, subject).value_or({})) {
        if (const auto stat = proc::read_schedstat(root, tid)) arrivals += stat->arrivals;
    }
    return arrivals;
}

}  // namespace ringside::clocks
