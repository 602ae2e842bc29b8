// The arithmetic of a time budget: what the sources said goes in, parts that sum up to the whole
// come out. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ringside/time_budget.h>

namespace ringside::analysis {

// The timer's ticks, each charged to the mode it found. CPU time is exact; its halves are a sample.
struct TickSample {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t tick_ns = 0;  // between two of them
    std::string source;
};

// The parts as measured; one that nobody measured has no value and a reason.
struct TimeFacts {
    BudgetMethod method = BudgetMethod::kernel_sums;
    Times clock;
    std::uint64_t lifetime_ns = 0;
    std::uint64_t lifetime_error_ns = 0;
    std::uint64_t threads = 0;
    std::uint64_t at_opening = 0;  // of them, lived when the budget was opened
    std::uint64_t living = 0;      // of them, live now
    std::string lifetime_reason;   // why lifetimes are not exact

    TimePart occupied;  // held a CPU, stolen time included
    TimePart stolen;
    std::optional<TickSample> ticks;
    TimePart waiting;
    TimePart blocked;
    TimePart paging;
    TimePart sleeping;
    TimePart stopped;
    std::optional<std::uint64_t> blocked_on_io_ns;
    std::string rest_reason;  // known causes of a rest, besides parts without a value
    PagingDetails details;
};

TimeSplit split_time(const TimeFacts& facts);

}  // namespace ringside::analysis
