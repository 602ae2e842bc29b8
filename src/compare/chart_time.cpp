// Figures of time: its parts, and what came in as it went on.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/chart.h"
#include "compare/time_parts.h"

namespace ringside::compare {

namespace {

using run::Interval;
using run::Measurement;
using run::Per;
using run::Run;
using run::Side;

const Row* find_event(const Comparison& comparison, std::string_view event) {
    for (const Row& row : comparison.events) {
        if (row.event == event) return &row;
    }
    return nullptr;
}

double length_of(const Run& run) {
    return run.intervals.empty() ? 0 : run.intervals.back().at_s;
}

// Of the runs that have intervals; none if none has.
const Run* median_run(const Side& side) {
    std::vector<const Run*> runs;
    for (const Run& run : side.runs) {
        if (!run.intervals.empty()) runs.push_back(&run);
    }
    if (runs.empty()) return nullptr;
    std::sort(runs.begin(), runs.end(),
              [](const Run* a, const Run* b) { return length_of(*a) < length_of(*b); });
    return runs[(runs.size() - 1) / 2];
}

std::optional<double> value_of(const Interval& interval, std::string_view event) {
    for (const Measurement& count : interval.counts) {
        if (count.name == event && count.ok()) return count.value;
    }
    return std::nullopt;
}

// In a second; of times, what they are of one CPU, of 100.
std::optional<double> rate(const Interval& interval, double before_s, const std::string& event,
                           bool time) {
    const auto value = value_of(interval, event);
    // The times were read a moment after the interval ended, with their own clock.
    const auto wall_ns = value_of(interval, "time.wall");
    const double lasted_s = wall_ns ? *wall_ns / 1e9 : interval.at_s - before_s;
    if (!value || lasted_s <= 0) return std::nullopt;
    return *value / lasted_s * (time ? 100 / 1e9 : 1);
}

std::vector<model::Moment> line_of(const Run* run, const std::string& event, bool time) {
    std::vector<model::Moment> line;
    if (run == nullptr) return line;
    double before_s = 0;
    for (const Interval& interval : run->intervals) {
        line.push_back({interval.at_s, rate(interval, before_s, event, time)});
        before_s = interval.at_s;
    }
    return line;
}

bool has_value(const model::Strip& strip, double above) {
    return std::any_of(strip.lines.begin(), strip.lines.end(), [&](const auto& line) {
        return std::any_of(line.begin(), line.end(), [&](const model::Moment& moment) {
            return moment.value && *moment.value > above;
        });
    });
}

// Stolen time first: it is what a guest cannot see elsewhere. All that held a CPU rather than user
// and kernel apart, which ticks tell too coarsely for short intervals.
constexpr std::array<std::pair<const char*, const char*>, 3> times_over_time = {
    {{"time.stolen", "stolen by the hypervisor"},
     {"time.executed", "running on a CPU"},
     {"time.waiting", "waiting for a CPU"}}};

model::Strip strip_of(const std::vector<const Run*>& runs, const std::string& event, bool time) {
    model::Strip strip;
    for (const Run* run : runs) strip.lines.push_back(line_of(run, event, time));
    return strip;
}

}  // namespace

model::Figure chart_time_budget(const std::vector<Side>& sides, const Comparison& comparison) {
    model::Figure figure;
    for (const Side& side : sides) figure.series.push_back(series_name(side));
    figure.axis = fmt::format("time of all threads [s] per {}",
                              comparison.per == Per::share ? "run" : to_string(comparison.per));
    model::Parts stacks;
    for (const TimePart& each : time_parts) {
        const Row* row = find_event(comparison, each.event);
        if (row == nullptr) continue;
        model::Part part;
        part.label = std::string(each.label);
        part.rest = each.name == "unexplained";
        double most = 0;
        for (const Cell& cell : row->cells) {
            const auto mean = cell.mean();
            part.values.push_back(mean ? std::optional(*mean * 1e-9) : std::nullopt);
            most = std::max(most, mean.value_or(0));
        }
        // A part that nobody has any of is no news, but one that is not known is.
        const bool known = std::all_of(part.values.begin(), part.values.end(),
                                       [](const auto& value) { return value.has_value(); });
        if (most > 0 || !known || each.name == "stolen") stacks.parts.push_back(std::move(part));
    }
    figure.content = std::move(stacks);
    return figure;
}

model::Figure chart_timeline(const std::vector<Side>& sides, const Comparison& comparison) {
    constexpr std::size_t most_strips = 8;
    model::Figure figure;
    std::vector<const Run*> runs;
    for (const Side& side : sides) {
        figure.series.push_back(series_name(side));
        runs.push_back(median_run(side));
    }
    model::Timeline timeline;
    for (const auto& [event, words] : times_over_time) {
        if (find_event(comparison, event) == nullptr) continue;
        auto strip = strip_of(runs, event, true);
        strip.axis = fmt::format("{} [% of a CPU]", words);
        strip.least_end = 10;
        constexpr double zero_included = -1;
        if (has_value(strip, zero_included)) timeline.strips.push_back(std::move(strip));
    }
    for (const Row& row : comparison.events) {
        if (row.event.starts_with("time.") || row.unit == "ns") continue;
        auto strip = strip_of(runs, row.event, false);
        strip.axis = row.event + " per second";
        if (timeline.strips.size() < most_strips && has_value(strip, 0)) {
            timeline.strips.push_back(std::move(strip));
        }
    }
    figure.content = std::move(timeline);
    return figure;
}

}  // namespace ringside::compare
