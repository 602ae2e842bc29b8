// A flame graph as one SVG file: readable without scripts, zoomable with them, no network.
#pragma once

#include <string>

#include "profile/call_tree.h"

namespace ringside::exports {

struct FlameGraphOptions {
    std::string title = "Flame graph";
    std::string unit = "samples";
    int width = 1200;
};

// What changed from one profile to another: frames as wide as in `after`, redder the more their
// share grew, bluer the more it shrank. Only frames that `after` has can be drawn.
std::string differential_flame_graph_svg(const profile::CallTree& before,
                                         const profile::CallTree& after,
                                         const FlameGraphOptions& options = {});

std::string flame_graph_svg(const profile::CallTree& tree, const FlameGraphOptions& options = {});

}  // namespace ringside::exports
