// A figure laid out: where each line, area and word stands, before it becomes SVG, PNG, PDF or EPS.
// All measures are in units of which `column_width` make the width of a printed column. Passive.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ringside::render {

constexpr double column_width = 340;       // units
constexpr double column_width_cm = 8.5;    // on paper
constexpr double pixels_per_unit = 2;      // of SVG on a screen
constexpr double png_pixels_per_unit = 3;  // 300 dots per inch in a column

struct Colour {
    std::uint32_t rgb = 0;
    bool operator==(const Colour&) const = default;
};

struct Point {
    double x = 0;
    double y = 0;
};

struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

struct Font {
    double size = 9;
    bool bold = false;
};

enum class Anchor { start, middle, end };

struct Words {
    std::string text;  // UTF-8, without control characters
    Point at;          // on the base line
    Anchor anchor = Anchor::start;
    Font font;
    Colour colour;
    double turned = 0;  // degrees, clockwise around `at`
    double width = 0;   // of the room it was given, and takes in any font
};

struct Box {
    Rect rect;
    Colour fill;
    std::string hint;  // what a reader who points at it is told
};

// A part of a ring, clockwise; a turn is 1 and begins at the top.
struct Wedge {
    Point centre;
    double inner = 0;
    double outer = 0;
    double from = 0;
    double to = 0;
    Colour fill;
    std::string hint;
};

struct Line {
    std::vector<Point> points;
    Colour colour;
    double width = 0.7;
    std::vector<double> dashes;  // empty: unbroken
};

using Shape = std::variant<Box, Wedge, Line, Words>;

struct Picture {
    double width = 0;
    double height = 0;
    std::string title;          // for those who do not see it
    std::string description;    // all it shows, in words
    std::vector<Shape> shapes;  // later ones lie on earlier ones
};

}  // namespace ringside::render
