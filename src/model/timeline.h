// How a run went on: readings while it ran, and the figure of it. Passive.
#pragma once

#include <string>
#include <vector>

namespace ringside::model {

// What had been counted at some moments of one run, since its start.
struct Timeline {
    struct Moment {
        double at_ns = 0;            // since the start
        std::vector<double> values;  // one for each series
    };

    std::vector<std::string> series;  // "time.user" (ns), "page-faults"
    std::vector<Moment> moments;      // in the order of time
};

// Steps of one thing after the other, its parts on top of each other.
struct TimelinePanel {
    struct Step {
        double from_s = 0;
        double to_s = 0;
        std::vector<double> values;  // one for each part
    };

    std::string label;
    std::vector<std::string> parts;
    std::vector<Step> steps;
    double most = 0;  // what its axis must reach; panels that shall be compared have the same
};

struct TimelineFigure {
    std::string title;
    std::vector<TimelinePanel> panels;  // from top to bottom, over the same seconds
};

}  // namespace ringside::model
