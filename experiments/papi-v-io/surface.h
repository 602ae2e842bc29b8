// Surfaces of throughput over file size and record size, as IOzone's users know them, drawn with
// cairo into SVG and PNG.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ringside::experiment {

struct Surface {
    std::string title;
    std::string empty_reason;  // written where there is nothing to draw
    // By file size and record size in KiB: the mesh, and dots that should lie on it.
    std::map<std::pair<int, int>, double> mesh_gbps;
    std::map<std::pair<int, int>, double> dots_gbps;
};

// Two in a row. False when a file cannot be written.
bool draw(const std::vector<Surface>& surfaces, const std::string& svg_path,
          const std::string& png_path);

}  // namespace ringside::experiment
