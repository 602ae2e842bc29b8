#include "trust/sampling.h"

#include <algorithm>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include "perf/event_fd.h"
#include "perf/records.h"
#include "perf/ring_buffer.h"
#include "trust/judge.h"
#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr std::size_t ring_pages = 8;
constexpr std::uint64_t hardware_period = 500'000;
constexpr std::uint64_t hardware_iterations = 5'000'000;
constexpr std::uint64_t clock_period_ns = 1'000'000;
constexpr std::uint64_t clock_iterations = 20'000'000;

model::Event event_of(const char* name, std::uint32_t type, std::uint64_t config) {
    model::Event event;
    event.name = name;
    event.code = {type, config, 0, 0};
    return event;
}

void collect(perf::RingBuffer& ring, std::uint64_t sample_type, SamplingObservation& seen) {
    while (const auto record = ring.next()) {
        if (const auto sample = perf::decode_sample(*record, sample_type)) {
            seen.counts_at_sample.push_back(sample->count);
        } else if (const auto lost = perf::decode_lost(*record)) {
            seen.lost += *lost;
        } else if (record->type == PERF_RECORD_THROTTLE) {
            seen.throttled = true;
        }
    }
}

// How far the count was past the overflow that each sample belongs to.
std::string skid_in_words(const SamplingObservation& seen) {
    std::uint64_t least = UINT64_MAX;
    std::uint64_t most = 0;
    for (const std::uint64_t count : seen.counts_at_sample) {
        least = std::min(least, count % seen.period);
        most = std::max(most, count % seen.period);
    }
    return fmt::format("skid {} to {} events", grouped(least), grouped(most));
}

}  // namespace

SamplingObservation observe_sampling(const model::Event& event, std::uint64_t period,
                                     std::uint64_t iterations) {
    SamplingObservation seen;
    seen.event = event.name;
    seen.period = period;
    seen.is_timer = event.code.type == PERF_TYPE_SOFTWARE;
    perf::OpenOptions options;
    options.sample_period = period;
    options.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
    const auto fd = perf::EventFd::open(model::user_only(event), {}, options);
    auto ring = fd ? perf::RingBuffer::map(*fd, ring_pages) : Result<perf::RingBuffer>(fd.error());
    if (!ring) {
        seen.open_error = ring.error();
        return seen;
    }
    static_cast<void>(fd->enable());
    counted_loop(iterations);
    // Read before anything touches the PMU: an interrupt that only arrives then is a lost one.
    collect(*ring, options.sample_type, seen);
    static_cast<void>(fd->disable());
    const auto count = fd->read();
    if (count && *count) seen.count = (*count)->value;
    return seen;
}

SelfTest judge_sampling(const SamplingObservation& seen) {
    SelfTest test{"overflow_" + seen.event, std::nullopt, {}};
    if (seen.open_error) {
        test.state = perf::state_of(*seen.open_error);
        test.detail = seen.open_error->what;
        return test;
    }
    const std::uint64_t expected = seen.count / seen.period;
    const std::uint64_t samples = seen.counts_at_sample.size() + seen.lost;
    test.detail = fmt::format("{} samples, {} expected", samples, expected);
    if (expected == 0) {
        test.detail = fmt::format("{} counted, too few for one period of {}", grouped(seen.count),
                                  grouped(seen.period));
        if (seen.count == 0) test.state = CounterState::dead;
        return test;
    }
    // Throttling, and a last period cut short by the end of the loop, explain a few.
    const std::uint64_t slack = std::max<std::uint64_t>(2, expected / 10);
    const bool may_be_fewer = seen.throttled || seen.is_timer;
    const bool all_came = samples + slack >= expected;
    const bool enough = all_came || (may_be_fewer && samples > 0);
    const bool too_many = samples > expected + slack;
    test.state = samples == 0          ? CounterState::dead
                 : enough && !too_many ? CounterState::ok
                                       : CounterState::implausible;
    // Skid has a meaning only when each sample belongs to the overflow before it.
    if (all_came && !too_many && !seen.counts_at_sample.empty())
        test.detail += "; " + skid_in_words(seen);
    if (seen.throttled) test.detail += "; throttled by the kernel";
    return test;
}

SamplingReport choose_sampling(const std::vector<SelfTest>& tests) {
    SamplingReport report;
    report.tests = tests;
    const auto detail_of = [&](std::string_view name) -> const SelfTest* {
        for (const auto& test : tests) {
            if (test.name == name) return &test;
        }
        return nullptr;
    };
    const SelfTest* cycles = detail_of("overflow_cycles");
    const SelfTest* clock = detail_of("overflow_cpu-clock");
    const auto works = [](const SelfTest* test) {
        return test != nullptr && test->state == CounterState::ok;
    };
    const std::string cycles_said = cycles == nullptr ? "not tried" : cycles->detail;
    if (works(cycles)) {
        report.event = "cycles";
        report.reason = cycles_said;
    } else if (works(clock)) {
        report.event = "cpu-clock";
        report.reason = fmt::format("instead of cycles ({})", cycles_said);
    } else {
        report.reason = fmt::format("no event delivers samples; cycles: {}; cpu-clock: {}",
                                    cycles_said, clock == nullptr ? "not tried" : clock->detail);
    }
    return report;
}

SamplingReport choose_sampling() {
    const auto hardware = [](const char* name, std::uint64_t config) {
        return judge_sampling(observe_sampling(event_of(name, PERF_TYPE_HARDWARE, config),
                                               hardware_period, hardware_iterations));
    };
    std::vector<SelfTest> tests;
    tests.push_back(hardware("cycles", PERF_COUNT_HW_CPU_CYCLES));
    tests.push_back(hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS));
    tests.push_back(judge_sampling(
        observe_sampling(event_of("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
                         clock_period_ns, clock_iterations)));
    return choose_sampling(tests);
}

}  // namespace ringside::trust
