// The rows of a counting report: one event at one place, over one run or several. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics.h"
#include "model/measurement.h"

namespace ringside::analysis {

struct StatRow : model::Measurement {
    std::optional<Summary> runs;  // then `value` is its mean
};
using StatRows = std::vector<StatRow>;

// Several runs, each with the same events at the same places in the same order. An event that was
// not ok in one run has no mean: its state is the first that was not.
StatRows over_runs(std::span<const StatRows> runs);

// What a row says beside another of its place: "1.92 a cycle", "3.4 % of branches"; empty where
// there is nothing to compare it with.
std::string remark_on(const StatRow& row, const StatRows& rows, std::uint64_t wall_ns);

}  // namespace ringside::analysis
