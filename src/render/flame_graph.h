// A flame graph as SVG: readable without scripts, zoomable with them. The same figure gives the
// same bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/stacks.h"

namespace ringside::render {

struct FlameOptions {
    std::string title = "Flame graph";
    std::size_t series = 0;               // whose weights are the widths
    std::optional<std::size_t> before{};  // colours say how shares changed from this series
    double least_share = 0;               // of 1; smaller frames are left out
    int width = 1200;
};

// From which change on colours are full, in percentage points: the largest change of a frame, but
// at least 1, which is little, and at most 10.
double full_change(const model::FlameFigure& figure, std::size_t series, std::size_t before);

// As a file of its own, with style and script in it.
std::string flame_file(const model::FlameFigure& figure, const FlameOptions& options);

// For a page that has web/flame.css and web/flame.js.
std::string flame_part(const model::FlameFigure& figure, const FlameOptions& options);

}  // namespace ringside::render
