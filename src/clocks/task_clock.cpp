#include "clocks/task_clock.h"

#include <cerrno>

#include <linux/perf_event.h>

#include "base/error.h"
#include "model/event.h"

namespace ringside::clocks {

namespace {

model::Event software_event(const char* name, std::uint64_t config) {
    model::Event event;
    event.name = name;
    event.kind = model::EventKind::software;
    event.code = {PERF_TYPE_SOFTWARE, config, 0, 0};
    return event;
}

perf::OpenOptions options_for(const Subject& subject) {
    perf::OpenOptions options;
    options.disabled = false;
    options.inherit = subject.extent != Subject::Extent::thread;
    options.inherit_thread = subject.extent == Subject::Extent::process;
    return options;
}

// task-clock counts the same in all modes, and an unprivileged user may ask for user mode only.
Result<perf::EventFd> open_anyhow(const model::Event& event, const perf::Target& target,
                                  const perf::OpenOptions& options) {
    auto opened = perf::EventFd::open(event, target, options);
    if (opened || perf::state_of(opened.error()) != CounterState::not_permitted) return opened;
    return perf::EventFd::open(model::user_only(event), target, options);
}

}  // namespace

Result<TaskClock> TaskClock::open(const base::SysRoot& root, const Subject& subject, int cpu) {
    const auto tids = list_threads(root, subject);
    if (!tids) return tids.error();
    const auto event = software_event("task-clock", PERF_COUNT_SW_TASK_CLOCK);
    TaskClock clock;
    for (const pid_t tid : *tids) {
        auto opened = open_anyhow(event, {tid, cpu}, options_for(subject));
        if (!opened && opened.error().sys_errno == ESRCH) continue;  // ended meanwhile
        if (!opened) return opened.error();
        clock.events_.push_back(std::move(*opened));
    }
    if (clock.events_.empty()) return base::fail_errno(ESRCH, "cannot follow its threads");
    return clock;
}

Result<std::uint64_t> TaskClock::read_ns() const {
    std::uint64_t sum = 0;
    for (const auto& event : events_) {
        const auto count = event.read();
        if (!count) return count.error();
        if (*count) sum += (*count)->value;
    }
    return sum;
}

}  // namespace ringside::clocks
