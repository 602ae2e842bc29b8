#include "cli/timeline_file.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace ringside::cli {

namespace {

using base::fail;
using model::Timeline;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_moments = 400;

std::vector<std::pair<std::string, double>> values_of(const TimeReport& time,
                                                      const analysis::StatRows& rows) {
    std::vector<std::pair<std::string, double>> values;
    const Json parts = time_json(time);
    for (const auto& [name, value] : parts.items()) {
        if (value.is_number() && name.ends_with("_ns"))
            values.emplace_back("time." + name.substr(0, name.size() - 3), value.get<double>());
    }
    for (const auto& row : rows)
        if (row.ok() && !row.metric) values.emplace_back(row.name, row.value);
    return values;
}

void halve(std::vector<Timeline::Moment>& moments) {
    for (std::size_t i = 0; 2 * i + 1 < moments.size(); ++i)
        moments[i] = std::move(moments[2 * i + 1]);
    moments.resize(moments.size() / 2);
}

}  // namespace

// A value that cannot be read for once stays what it was.
void add_moment(Timeline& timeline, const TimeReport& time, const analysis::StatRows& rows) {
    const auto values = values_of(time, rows);
    if (timeline.moments.empty())
        for (const auto& [name, value] : values) timeline.series.push_back(name);
    Timeline::Moment moment;
    moment.at_ns = static_cast<double>(wall_ns(time));
    moment.values = timeline.moments.empty() ? std::vector<double>(timeline.series.size())
                                             : timeline.moments.back().values;
    for (const auto& [name, value] : values) {
        const auto found = std::find(timeline.series.begin(), timeline.series.end(), name);
        if (found != timeline.series.end())
            moment.values[static_cast<std::size_t>(found - timeline.series.begin())] = value;
    }
    timeline.moments.push_back(std::move(moment));
    if (timeline.moments.size() >= most_moments) halve(timeline.moments);
}

std::string timeline_json(const Timeline& timeline) {
    Json json = {{"schema", "ringside.timeline/1"}, {"series", timeline.series}};
    json["moments"] = Json::array();
    for (const auto& moment : timeline.moments)
        json["moments"].push_back({{"at_ns", moment.at_ns}, {"values", moment.values}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Timeline> parse_timeline(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || json.value("schema", Json()) != "ringside.timeline/1") {
        return fail(ErrorCode::bad_input, "not of the schema ringside.timeline/1");
    }
    Timeline timeline;
    try {
        timeline.series = json.at("series").get<std::vector<std::string>>();
        for (const auto& each : json.at("moments")) {
            Timeline::Moment moment{each.at("at_ns").get<double>(),
                                    each.at("values").get<std::vector<double>>()};
            if (moment.values.size() != timeline.series.size())
                return fail(ErrorCode::bad_input, "a moment with other series");
            timeline.moments.push_back(std::move(moment));
        }
    } catch (const Json::exception& problem) {
        return fail(ErrorCode::bad_input, std::string("damaged: ") + problem.what());
    }
    return timeline;
}

}  // namespace ringside::cli
