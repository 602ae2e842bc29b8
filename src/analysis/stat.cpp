#include "analysis/stat.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace ringside::analysis {

namespace {

// Which events are read beside which others.
struct Comparison {
    std::string_view event;
    std::string_view beside;
    double factor;
    std::string_view format;
};
constexpr Comparison comparisons[] = {
    {"cycles", "task-clock", 1, "{:.3f} GHz"},
    {"instructions", "cycles", 1, "{:.2f} a cycle"},
    {"branch-misses", "branches", 100, "{:.2f} % of branches"},
    {"cache-misses", "cache-references", 100, "{:.2f} % of cache-references"},
    {"L1-dcache-load-misses", "L1-dcache-loads", 100, "{:.2f} % of L1-dcache-loads"},
    {"LLC-load-misses", "LLC-loads", 100, "{:.2f} % of LLC-loads"},
    {"dTLB-load-misses", "dTLB-loads", 100, "{:.2f} % of dTLB-loads"},
    {"context-switches", "task-clock", 1e9, "{:.1f} a second on a CPU"},
    {"cpu-migrations", "task-clock", 1e9, "{:.1f} a second on a CPU"},
    {"page-faults", "task-clock", 1e9, "{:.1f} a second on a CPU"},
    {"branches", "task-clock", 1e9, "{:.4g} a second on a CPU"},
};

std::string_view plain_name(std::string_view name) {
    return name.substr(0, name.find(':'));
}

// Counted in the same modes, at the same place. task-clock runs in all modes anyway.
const StatRow* beside(const StatRow& row, std::string_view name, const StatRows& rows) {
    const auto modes = [](std::string_view whole) {
        return whole.substr(plain_name(whole).size());
    };
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const StatRow& other) {
        return other.ok() && other.value > 0 && other.place == row.place &&
               plain_name(other.name) == name &&
               (name == "task-clock" || modes(other.name) == modes(row.name));
    });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

StatRows over_runs(std::span<const StatRows> runs) {
    StatRows rows = runs.front();
    if (runs.size() == 1) return rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        StatRow& row = rows[i];
        std::vector<double> values;
        std::size_t bad = 0;
        row.scale_error = 0;
        for (const StatRows& run : runs) {
            const StatRow& one = run[i];
            if (!one.ok() && bad++ == 0) {
                row.state = one.state;
                row.reason = one.reason;
            }
            values.push_back(one.value);
            row.scale_error += one.scale_error / static_cast<double>(runs.size());
            row.running_ratio = std::min(row.running_ratio, one.running_ratio);
        }
        if (bad > 0) {
            if (bad < runs.size()) {
                row.reason = fmt::format("in {} of {} runs: {}", bad, runs.size(), row.reason);
            }
            continue;
        }
        row.runs = summarize(values);
        row.value = row.runs->mean;
    }
    return rows;
}

std::string remark_on(const StatRow& row, const StatRows& rows, std::uint64_t wall_ns) {
    if (!row.ok() || row.metric) return {};
    const auto name = plain_name(row.name);
    if (name == "task-clock" && wall_ns > 0) {
        return fmt::format("{:.3f} CPUs used", row.value / static_cast<double>(wall_ns));
    }
    for (const Comparison& comparison : comparisons) {
        if (comparison.event != name) continue;
        const StatRow* other = beside(row, comparison.beside, rows);
        if (other == nullptr) return {};
        return fmt::format(fmt::runtime(comparison.format),
                           comparison.factor * row.value / other->value);
    }
    return {};
}

}  // namespace ringside::analysis
