// The charts of a comparison.
#pragma once

#include <string>
#include <vector>

#include "cli/compare_view.h"

namespace ringside::cli {

struct CompareFigure {
    std::string id;
    std::string title;
    std::string svg;
};

// Of each sampled event the `top` heaviest functions.
std::vector<CompareFigure> compare_figures(const CompareView& view, std::size_t top);

}  // namespace ringside::cli
