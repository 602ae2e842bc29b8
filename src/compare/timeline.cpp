#include "compare/timeline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ringside::compare {

namespace {

using model::Timeline;
using model::TimelinePanel;

// What threads do when they do not sleep by choice.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> parts = {{
    {"time.user", "computing"},
    {"time.kernel", "in the kernel"},
    {"time.stolen", "stolen"},
    {"time.waiting", "waiting for a CPU"},
    {"time.blocked", "blocked"},
    {"time.paging", "in page faults"},
}};

double length(const Run& run) {
    return run.timeline.moments.empty() ? 0 : run.timeline.moments.back().at_ns;
}

// The middle one of the runs that have readings.
const Timeline* typical(const Side& side) {
    std::vector<const Run*> runs;
    for (const Run& run : side.runs)
        if (!run.timeline.moments.empty()) runs.push_back(&run);
    if (runs.empty()) return nullptr;
    std::sort(runs.begin(), runs.end(),
              [](const Run* a, const Run* b) { return length(*a) < length(*b); });
    return &runs[(runs.size() - 1) / 2]->timeline;
}

std::optional<std::size_t> index_of(const Timeline& timeline, std::string_view series) {
    const auto found = std::find(timeline.series.begin(), timeline.series.end(), series);
    if (found == timeline.series.end()) return std::nullopt;
    return static_cast<std::size_t>(found - timeline.series.begin());
}

// By the second, between each reading and the one before; times are parts of a second.
TimelinePanel panel_of(const Timeline& timeline, const std::vector<std::string>& series,
                       double unit) {
    TimelinePanel panel;
    std::vector<std::optional<std::size_t>> at;
    for (const auto& name : series) at.push_back(index_of(timeline, name));
    Timeline::Moment last{0, std::vector<double>(timeline.series.size())};
    for (const auto& moment : timeline.moments) {
        const double seconds = (moment.at_ns - last.at_ns) / 1e9;
        if (seconds <= 0) continue;
        auto& step = panel.steps.emplace_back();
        step.from_s = last.at_ns / 1e9;
        step.to_s = moment.at_ns / 1e9;
        double sum = 0;
        for (const auto& index : at) {
            const double change = index ? moment.values[*index] - last.values[*index] : 0;
            step.values.push_back(std::max(0.0, change / unit / seconds));
            sum += step.values.back();
        }
        panel.most = std::max(panel.most, sum);
        last = moment;
    }
    return panel;
}

struct Typical {
    const Side* side;
    const Timeline* timeline;
};

// The same measure on every side, so that heights can be compared.
void add_panels(const std::vector<Typical>& all, const std::vector<std::string>& series,
                const std::vector<std::string>& names, std::string_view what, double unit,
                model::TimelineFigure& figure) {
    double most = 0;
    const std::size_t first = figure.panels.size();
    for (const auto& [side, timeline] : all) {
        auto panel = panel_of(*timeline, series, unit);
        panel.label = fmt::format("{}: {}", side->name, what);
        panel.parts = names;
        most = std::max(most, panel.most);
        figure.panels.push_back(std::move(panel));
    }
    for (std::size_t i = first; i < figure.panels.size(); ++i) figure.panels[i].most = most;
    if (most == 0) figure.panels.resize(first);
}

// Counts, in the order in which they were asked for.
std::vector<std::string> counted(const std::vector<Typical>& all) {
    std::vector<std::string> events;
    for (const auto& [side, timeline] : all) {
        for (const auto& name : timeline->series) {
            const bool known = std::find(events.begin(), events.end(), name) != events.end();
            if (!known && !name.starts_with("time.") && name != "task-clock")
                events.push_back(name);
        }
    }
    return events;
}

}  // namespace

model::TimelineFigure chart_timeline(const std::vector<Side>& sides, std::size_t most_events) {
    model::TimelineFigure figure;
    std::vector<Typical> all;
    for (const Side& side : sides)
        if (const Timeline* timeline = typical(side)) all.push_back({&side, timeline});
    if (all.empty()) return figure;
    std::vector<std::string> series;
    std::vector<std::string> names;
    for (const auto& [event, name] : parts) {
        series.emplace_back(event);
        names.emplace_back(name);
    }
    add_panels(all, series, names, "threads", 1e9, figure);
    const auto events = counted(all);
    for (std::size_t i = 0, drawn = 0; i < events.size() && drawn < most_events; ++i) {
        const std::size_t before = figure.panels.size();
        add_panels(all, {events[i]}, {}, events[i] + " a second", 1, figure);
        if (figure.panels.size() > before) ++drawn;
    }
    return figure;
}

}  // namespace ringside::compare
