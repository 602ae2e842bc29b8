// Figures of every form, and questions about the pictures that are made of them.
#pragma once

#include <string>
#include <vector>

#include "model/figure.h"
#include "render/letters.h"
#include "render/picture.h"

namespace ringside::render {

inline model::Figure frame(std::vector<std::string> series) {
    model::Figure figure;
    figure.title = "a < b & \"c\"";
    figure.axis = "cpu-clock [s] per run";
    figure.series = std::move(series);
    figure.caption =
        "* a statistically significant difference; lines: 95 % confidence of the mean.";
    return figure;
}

inline model::Figure two_sides() {
    model::Figure figure = frame({"native", "vm (TCG)"});
    model::Bars bars;
    bars.groups = {
        {"solve", "bt.A", "[.]", {{1.0, 0.9, 1.1, ""}, {2.0, 2.0, 2.0, ""}}, true},
        {"clear_page", "[kernel]", "[k]", {{0.5, 0.5, 0.5, ""}, {{}, 0, 0, "dead"}}, false}};
    figure.content = bars;
    return figure;
}

inline model::Figure columns() {
    model::Figure figure = two_sides();
    std::get<model::Bars>(figure.content).upright = true;
    return figure;
}

inline model::Figure parts(bool round) {
    model::Figure figure = frame({"native", "vm", "cloud"});
    model::Parts parts;
    parts.round = round;
    parts.parts = {{"user", "", "", {3.0, 1.0, {}}, false},
                   {"schedule", "[kernel]", "[k]", {1.0, 1.0, {}}, false},
                   {"all others", "", "", {0.0, {}, {}}, true}};
    figure.content = parts;
    return figure;
}

inline model::Figure over_time() {
    model::Figure figure = frame({"native", "vm"});
    model::Timeline timeline;
    timeline.strips = {
        {"stolen time [% of a CPU]",
         0,
         {{{0.1, 10.0}, {0.2, 20.0}, {0.3, {}}, {0.4, 5.0}}, {{0.1, 0.0}, {0.9, 1.0}}}},
        {"page-faults per second", 0, {{{0.1, 5000.0}}, {}}}};
    figure.content = timeline;
    return figure;
}

inline std::vector<model::Figure> all_forms() {
    return {two_sides(), columns(), parts(true), parts(false), over_time()};
}

template <typename T>
std::vector<T> shapes(const Picture& picture) {
    std::vector<T> found;
    for (const Shape& shape : picture.shapes) {
        if (const T* one = std::get_if<T>(&shape)) found.push_back(*one);
    }
    return found;
}

inline std::vector<std::string> texts(const Picture& picture) {
    std::vector<std::string> all;
    for (const auto& words : shapes<Words>(picture)) all.push_back(words.text);
    return all;
}

}  // namespace ringside::render
