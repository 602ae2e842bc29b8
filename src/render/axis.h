// The numbers beside an axis. Pure.
#pragma once

#include <string>
#include <vector>

namespace ringside::render {

struct Axis {
    double step = 1;
    double end = 1;  // a whole number of steps

    std::vector<double> ticks() const;
    // With as many digits as the step needs; "2.5M" where they would be many.
    std::string label(double value) const;
};

// From 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten; at most
// `wanted` of them.
Axis axis_for(double most, int wanted = 5);

}  // namespace ringside::render
