// A chart before it is drawn: what it shows, not how. Passive.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside::model {

// One bar: a value with what is known of its spread.
struct Bar {
    std::optional<double> value;  // none: it could not be measured, and is drawn as a gap
    double low = 0;               // the ends of its error bar; equal to the value if there is none
    double high = 0;
    std::string note;  // why there is no value
};

// The bars of one thing side by side, one for each series.
struct BarGroup {
    std::string label;
    std::string mark;  // "[.]" or "[k]"; may be empty
    std::vector<Bar> bars;
    bool stressed = false;  // the difference between its bars is no chance
};

struct BarFigure {
    std::string title;
    std::string caption;
    std::string axis;                 // what is measured, with its unit
    std::vector<std::string> series;  // "native", "vm"
    std::vector<BarGroup> groups;     // from top to bottom
};

}  // namespace ringside::model
