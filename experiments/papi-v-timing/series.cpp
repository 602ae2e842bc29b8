#include "series.h"

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"

namespace ringside::experiment {

namespace {

struct Phase {
    int competitors = 0;
    double begin_s = 0;
    double end_s = 0;
};

std::optional<double> seconds(const std::string& ns) {
    const auto number = base::parse_u64(ns);
    if (!number) return std::nullopt;
    return static_cast<double>(*number) / 1e9;
}

std::vector<Phase> read_phases(std::string_view csv) {
    std::vector<Phase> phases;
    for (const auto& row : base::parse_csv(csv)) {
        if (row.size() != 3) continue;
        const auto count = base::parse_u64(row[0]);
        const auto begin_s = seconds(row[1]);
        const auto end_s = seconds(row[2]);
        if (count && begin_s && end_s) {
            phases.push_back({static_cast<int>(*count), *begin_s, *end_s});
        }
    }
    return phases;
}

}  // namespace

RunsByCompetitors join(std::string_view runs_csv, std::string_view phases_csv, double guard_s) {
    const auto phases = read_phases(phases_csv);
    RunsByCompetitors joined;
    for (const auto& row : base::parse_csv(runs_csv)) {
        if (row.size() != 8) continue;
        const auto begin_s = seconds(row[0]);
        const auto end_s = seconds(row[1]);
        const auto real_s = seconds(row[2]);
        const auto cpu_s = seconds(row[3]);
        if (!begin_s || !end_s || !real_s || !cpu_s) continue;
        for (const Phase& phase : phases) {
            if (*begin_s < phase.begin_s + guard_s || *end_s > phase.end_s - guard_s) continue;
            joined[phase.competitors].push_back(
                {*real_s, *cpu_s, seconds(row[6]), seconds(row[5])});
        }
    }
    return joined;
}

std::optional<Band> band(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    return Band{values.front(), values[values.size() / 2], values.back()};
}

}  // namespace ringside::experiment
