// A row of line charts, drawn with cairo into SVG and PNG.
#pragma once

#include <string>
#include <vector>

#include "series.h"

namespace ringside::experiment {

struct Colour {
    double red = 0;
    double green = 0;
    double blue = 0;
};

struct Point {
    double x = 0;
    Band y;
};

struct Line {
    std::string label;
    Colour colour;
    bool dashed = false;
    std::vector<Point> points;
};

struct Chart {
    std::string title;
    std::string subtitle;
    std::string x_label;
    std::string y_label;
    std::string empty_reason;  // written where there is nothing to draw
    std::vector<Line> lines;
};

// False when a file cannot be written.
bool draw(const std::vector<Chart>& charts, const std::string& svg_path,
          const std::string& png_path);

}  // namespace ringside::experiment
