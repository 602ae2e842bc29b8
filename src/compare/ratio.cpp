#include "compare/ratio.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.h"
#include "compare/student.h"

namespace ringside::compare {

namespace {

// The mean of a side and the variance of that mean.
struct Estimate {
    double mean = 0;
    double variance = 0;  // of the mean, not of one run
    double freedom = 0;
};

Estimate plain_estimate(std::span<const double> values, double grain) {
    const auto summary = analysis::summarize(values);
    const auto count = static_cast<double>(values.size());
    // Within a step every value is as likely as another: the variance of that is a twelfth.
    const double variance = std::max(summary.deviation * summary.deviation, grain * grain / 12);
    return {summary.mean, variance / count, count - 1};
}

// In logarithms, of positive values.
Estimate log_estimate(std::span<const double> values, double grain) {
    const double mean = analysis::summarize(values).mean;
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values) logs.push_back(std::log(value));
    return plain_estimate(logs, grain / mean);
}

// Where a 0 among the values has no logarithm: by the first term of the expansion around the mean.
Estimate expanded_estimate(std::span<const double> values, double grain) {
    const Estimate plain = plain_estimate(values, grain);
    return {std::log(plain.mean), plain.variance / (plain.mean * plain.mean), plain.freedom};
}

bool all_positive(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

struct Welch {
    double difference = 0;
    double error = 0;
    double freedom = 1;

    double p() const {
        return error > 0 ? student_two_sided(difference / error, freedom)
                         : (difference == 0 ? 1.0 : 0.0);
    }
};

// Welch 1947; degrees of freedom by Satterthwaite.
Welch welch(const Estimate& first, const Estimate& second) {
    Welch test;
    test.difference = second.mean - first.mean;
    const double variance = first.variance + second.variance;
    test.error = std::sqrt(variance);
    const double parts = first.variance * first.variance / first.freedom +
                         second.variance * second.variance / second.freedom;
    if (parts > 0) test.freedom = variance * variance / parts;
    return test;
}

Ratio tested_ratio(std::span<const double> first, std::span<const double> second, double grain) {
    Ratio result;
    if (first.empty() || second.empty()) return result;
    const double first_mean = analysis::summarize(first).mean;
    const double second_mean = analysis::summarize(second).mean;
    const bool repeated = first.size() > 1 && second.size() > 1;
    if (first_mean <= 0 || second_mean <= 0) {
        if (first_mean > 0) result.ratio = second_mean / first_mean;
        if (repeated)
            result.p = welch(plain_estimate(first, grain), plain_estimate(second, grain)).p();
        return result;
    }
    if (!repeated) {
        result.ratio = second_mean / first_mean;
        return result;
    }
    const auto estimate =
        all_positive(first) && all_positive(second) ? log_estimate : expanded_estimate;
    const Welch test = welch(estimate(first, grain), estimate(second, grain));
    const double margin = student_quantile(0.05, test.freedom) * test.error;
    result.ratio = std::exp(test.difference);
    result.ci_low = std::exp(test.difference - margin);
    result.ci_high = std::exp(test.difference + margin);
    result.p = test.p();
    return result;
}

}  // namespace

Ratio ratio_of(std::span<const double> first, std::span<const double> second, double grain) {
    Ratio result = tested_ratio(first, second, grain);
    // Beyond what a double can square nothing can be told.
    if (result.p && !std::isfinite(*result.p)) result = {};
    return result;
}

void adjust_for_many(std::span<Ratio*> ratios, double rate) {
    std::vector<Ratio*> tested;
    for (Ratio* ratio : ratios) {
        if (ratio->p) tested.push_back(ratio);
    }
    std::sort(tested.begin(), tested.end(),
              [](const Ratio* a, const Ratio* b) { return *a->p < *b->p; });
    double least = 1;
    for (std::size_t rank = tested.size(); rank > 0; --rank) {
        Ratio& ratio = *tested[rank - 1];
        const double scaled =
            *ratio.p * static_cast<double>(tested.size()) / static_cast<double>(rank);
        least = std::min(least, scaled);
        ratio.p_adjusted = least;
        ratio.significant = least < rate;
    }
}

}  // namespace ringside::compare
