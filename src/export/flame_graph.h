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

std::string flame_graph_svg(const profile::CallTree& tree, const FlameGraphOptions& options = {});

}  // namespace ringside::exports
