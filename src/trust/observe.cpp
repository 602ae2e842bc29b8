#include "trust/observe.h"

#include "trust/loops.h"

namespace ringside::trust {

namespace {

std::optional<perf::Count> read_count(const perf::EventFd& fd) {
    const auto count = fd.read();
    return count ? *count : std::nullopt;
}

// Counts while the workload runs; what it counts is left in the event.
Caused count_during(const perf::EventFd& fd, Workbench& bench, Workload workload) {
    return bench.run(
        workload, [&] { static_cast<void>(fd.enable()); },
        [&] { static_cast<void>(fd.disable()); });
}

std::uint64_t growth_when_stopped(const perf::EventFd& fd) {
    const auto before = read_count(fd);
    counted_loop(10'000);
    const auto after = read_count(fd);
    return before && after ? after->value - before->value : 0;
}

// On a busy machine something can come between a count and its witness; what is really wrong is
// wrong again.
bool contradicts_its_witness(const Observation& seen) {
    return seen.count && judge(seen, {}).state == CounterState::implausible;
}

}  // namespace

Opened open_as_permitted(const model::Event& event, Level level, const perf::OpenOptions& options) {
    if (level == Level::user) {
        return {perf::EventFd::open(model::user_only(event), {}, options), false};
    }
    auto both = perf::EventFd::open(event, {}, options);
    if (both || perf::state_of(both.error()) != CounterState::not_permitted) {
        return {std::move(both), false};
    }
    auto user = perf::EventFd::open(model::user_only(event), {}, options);
    if (!user) return {std::move(both), false};
    return {std::move(user), true};
}

Observation Observer::attempt(const model::Event& event, const Provocation& provocation) {
    Observation seen;
    seen.event = event;
    seen.provocation = provocation;
    const Opened opened = open_as_permitted(event, provocation.level);
    seen.user_only = opened.user_only;
    if (!opened.fd) {
        seen.open_error = opened.fd.error();
        return seen;
    }
    const perf::EventFd& fd = *opened.fd;
    if (provocation.witness == Witness::loop) {
        count_during(fd, bench_, Workload::nothing);
        if (const auto nothing = read_count(fd)) seen.baseline = nothing->value;
        static_cast<void>(fd.reset());
    }
    seen.caused = count_during(fd, bench_, provocation.workload);
    seen.count = read_count(fd);
    seen.grew_when_stopped = growth_when_stopped(fd);
    return seen;
}

Observation Observer::observe(const model::Event& event, const Provocation& provocation) {
    constexpr int attempts = 3;
    Observation seen = attempt(event, provocation);
    for (int i = 1; i < attempts && contradicts_its_witness(seen); ++i) {
        seen = attempt(event, provocation);
    }
    return seen;
}

}  // namespace ringside::trust
