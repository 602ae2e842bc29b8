// A chart before it is drawn: what it shows, not how. Passive.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside::model {

// One bar: a value with what is known of its spread.
struct Bar {
    std::optional<double> value;  // none: it could not be measured, and is drawn as a gap
    double low = 0;               // the ends of its error bar; equal to the value if there is none
    double high = 0;
    std::string note;  // why there is no value
};

// The bars of one thing, one for each series.
struct BarGroup {
    std::string label;  // the name of a function
    std::string place;  // where it is: its module; may be empty
    std::string mark;   // "[.]" or "[k]"; may be empty
    std::vector<Bar> bars;
    bool stressed = false;  // the difference between its bars is significant
};

struct Bars {
    std::vector<BarGroup> groups;
    bool upright = false;  // beside each other, from left to right; else below each other
};

// What a whole is made of, for each series.
struct Part {
    std::string label;
    std::string place;
    std::string mark;
    std::vector<std::optional<double>> values;  // one for each series
    bool rest = false;                          // all that has no part of its own
};

struct Parts {
    std::vector<Part> parts;
    bool round = false;  // a circle for each series, of shares; else a bar, of values
};

// A value holds from the moment before to its own.
struct Moment {
    double at_s = 0;
    std::optional<double> value;  // none: a gap
};

// One measure over time, a line for each series.
struct Strip {
    std::string axis;
    double least_end = 0;  // how far the axis reaches at least, so that next to nothing looks so
    std::vector<std::vector<Moment>> lines;
};

struct Timeline {
    std::vector<Strip> strips;
};

struct Figure {
    std::string title;
    std::string caption;
    std::string axis;                 // what is measured, with its unit; strips have their own
    std::vector<std::string> series;  // "native", "vm"
    std::variant<Bars, Parts, Timeline> content;
};

}  // namespace ringside::model
