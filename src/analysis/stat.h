// The rows of a counting report: one event at one place, over one run or several. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ringside/trust.h>

#include "analysis/statistics.h"

namespace ringside::analysis {

struct StatRow {
    std::string name;    // as it was asked for
    std::string filter;  // of a tracepoint, or empty
    std::string place;   // "CPU 3", "thread 17 (worker)"; empty: all there is, together
    std::string unit;    // "ns", "bytes"; empty for plain counts
    bool metric = false;
    bool soft = false;  // counted by a PMU in software
    CounterState state = CounterState::ok;
    std::string reason;      // if not ok
    double value = 0;        // to be used if ok; a count has no fraction
    double scale_error = 0;  // one standard deviation; 0 where nothing was scaled
    double running_ratio = 1;
    std::optional<Summary> runs;  // then `value` is its mean

    bool ok() const { return state == CounterState::ok; }
    bool scaled() const { return ok() && running_ratio < 1; }
};
using StatRows = std::vector<StatRow>;

// Several runs, each with the same events at the same places in the same order. An event that was
// not ok in one run has no mean: its state is the first that was not.
StatRows over_runs(std::span<const StatRows> runs);

// What a row says beside another of its place: "1.92 a cycle", "3.4 % of branches"; empty where
// there is nothing to compare it with.
std::string remark_on(const StatRow& row, const StatRows& rows, std::uint64_t wall_ns);

}  // namespace ringside::analysis
