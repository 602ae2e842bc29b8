#include <map>

#include "base/json.h"
#include "report/lab/lab_report.h"

namespace ringside::report {

namespace {

using base::Json;

// The format's times are microseconds; fractions are allowed.
double microseconds(std::uint64_t ns) {
    return double(ns) / 1000;
}

Json name_of(const char* what, unsigned process, unsigned thread, const std::string& name) {
    return {
        {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string lab_trace(const lab::Scenario& scenario, const lab::Timeline& timeline) {
    Json events = Json::array();
    std::map<std::string, unsigned> groups;  // the format's processes; rows are its threads
    std::vector<unsigned> process_of_row;
    for (std::size_t row = 0; row < timeline.rows().size(); ++row) {
        const auto& [group, name] = timeline.rows()[row];
        const auto [found, fresh] = groups.try_emplace(group, unsigned(groups.size()) + 1);
        if (fresh) events.push_back(name_of("process_name", found->second, 0, group));
        process_of_row.push_back(found->second);
        events.push_back(name_of("thread_name", found->second, unsigned(row) + 1, name));
    }
    for (const lab::TimelineEvent& event : timeline.events()) {
        Json json{{"ph", event.kind == lab::TimelineEvent::Kind::span ? "X" : "i"},
                  {"name", event.name},
                  {"pid", process_of_row[event.row]},
                  {"tid", event.row + 1},
                  {"ts", microseconds(event.start_ns)}};
        if (event.kind == lab::TimelineEvent::Kind::span) {
            json["dur"] = microseconds(event.duration_ns);
        } else {
            json["s"] = "t";  // an instant of its thread
        }
        events.push_back(std::move(json));
    }
    Json json{{"displayTimeUnit", "ns"},
              {"otherData", {{"title", scenario.title}, {"dropped_events", timeline.dropped()}}}};
    json["traceEvents"] = std::move(events);
    return json.text(-1);
}

}  // namespace ringside::report
