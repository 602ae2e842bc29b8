// What repeated measurements say together. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace ringside::analysis {

struct Summary {
    std::size_t count = 0;
    double mean = 0;
    double deviation = 0;   // of one measurement from the mean: the sample's standard deviation
    double confidence = 0;  // the true mean lies within mean +- this, in 95 of 100 cases
    double least = 0;
    double most = 0;
};

// Of at least one value; a single one has no spread and no confidence that could be known, both 0.
Summary summarize(std::span<const double> values);

}  // namespace ringside::analysis
