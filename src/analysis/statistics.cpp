#include "analysis/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/assert.h"

namespace ringside::analysis {

namespace {

// Student's t for 95 % on both sides, by degrees of freedom from 1 on. Beyond the table the first
// terms of its expansion around the normal distribution are good to 0.001.
double student_t(std::size_t freedom) {
    constexpr std::array<double, 30> table = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom <= table.size()) return table[freedom - 1];
    constexpr double z = 1.95996;
    return z + (z * z * z + z) / (4 * static_cast<double>(freedom));
}

}  // namespace

Summary summarize(std::span<const double> values) {
    RINGSIDE_ASSERT(!values.empty());
    const auto count = static_cast<double>(values.size());
    Summary summary;
    summary.count = values.size();
    summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    summary.least = *least;
    summary.most = *most;
    if (values.size() == 1) return summary;
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / (count - 1));
    summary.confidence = student_t(values.size() - 1) * summary.deviation / std::sqrt(count);
    return summary;
}

}  // namespace ringside::analysis
