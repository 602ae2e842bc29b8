// The operator's question: at which exit rate does mediation cost more than it saves?
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lab/simulation.h"

namespace ringside::lab {

constexpr std::array<unsigned, 8> swept_rates{0, 1, 3, 10, 30, 100, 300, 1000};  // exits per ms
constexpr unsigned most_exits_per_ms = swept_rates.back();

// A way to share the PMU, and what it costs.
struct SweptWay {
    const char* name;
    std::vector<double> cost_percent;  // of the guests' time, at each of swept_rates
    // The lowest rate at which it costs more than legacy; none up to most_exits_per_ms.
    std::optional<unsigned> break_even;
};

struct SweepResult {
    std::vector<SweptWay> ways;  // legacy first, which the others are compared with
};

SweepResult sweep(const Scenario& scenario, const Costs& costs);

}  // namespace ringside::lab
