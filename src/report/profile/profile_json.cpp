
#include "base/json.h"
#include "report/profile/profile_view.h"

namespace ringside::report {

namespace {

using base::Json;
using profile::Column;

// What the rows do not keep apart is null: it has no one value.
Json row_json(const ProfileView& view, std::size_t event, const profile::Row& row) {
    const auto& function = view.function(row);
    const auto text = [&](Column column) {
        return has_column(view.columns, column) ? Json(view.cell(event, row, column))
                                                : Json(nullptr);
    };
    Json json;
    json["symbol"] = text(Column::symbol);
    json["dso"] = text(Column::module);
    json["comm"] = text(Column::comm);
    json["mode"] =
        profile::shows_mode(view.columns) ? Json(to_string(function.mode)) : Json(nullptr);
    if (has_column(view.columns, Column::symbol)) json["resolved"] = function.resolved;
    if (has_column(view.columns, Column::pid)) json["pid"] = row.pid;
    if (has_column(view.columns, Column::tid)) json["tid"] = row.tid;
    if (has_column(view.columns, Column::cpu)) json["cpu"] = row.cpu;
    if (has_column(view.columns, Column::cgroup)) json["cgroup"] = text(Column::cgroup);
    if (has_column(view.columns, Column::line)) json["srcline"] = text(Column::line);
    json["samples"] = row.samples;
    json["period"] = row.period;
    json["self_pct"] = view.percent(event, row.period);
    if (view.children) json["total_pct"] = view.percent(event, row.total_period);
    return json;
}

Json tree_json(const ProfileView& view, std::size_t event, const profile::CallTree& tree,
               const std::vector<std::vector<std::uint32_t>>& children, std::uint32_t index) {
    Json list = Json::array();
    for (const auto child : children[index]) {
        const auto& node = tree.nodes()[child];
        if (view.percent(event, node.total) < view.least_graph_percent) continue;
        const auto& frame = tree.frames()[node.frame];
        const bool thread = frame.module.empty();
        Json json;
        json["name"] = frame.name;
        json["dso"] = thread ? Json(nullptr) : Json(frame.module);
        json["mode"] = thread ? Json(nullptr) : Json(to_string(frame.mode));
        json["total_pct"] = view.percent(event, node.total);
        json["self_pct"] = view.percent(event, node.self);
        json["children"] = tree_json(view, event, tree, children, child);
        list.push_back(std::move(json));
    }
    return list;
}

// Null where nobody noted it: by then it cannot be known any more.
Json steal_json(const profile::Profile& profile) {
    const auto stolen = profile::stolen_between(profile.steal);
    if (!stolen) return nullptr;
    Json json = {{"stolen_ns", stolen->stolen_ns},
                 {"time_ns", stolen->time_ns},
                 {"cpus", stolen->cpus},
                 {"readings", Json::array()}};
    for (const auto& reading : profile.steal)
        json["readings"].push_back(
            {{"time_ns", reading.time_ns}, {"cpu", reading.cpu}, {"stolen_ns", reading.stolen_ns}});
    return json;
}

}  // namespace

std::string profile_json(const ProfileView& view, const std::vector<profile::EventRows>& events) {
    Json json;
    json["schema"] = "ringside.report/1";
    json["warnings"] = view.profile.warnings;
    for (const auto& warning : view.naming.warnings) json["warnings"].push_back(warning);
    json["steal"] = steal_json(view.profile);
    json["steal_reason"] = json["steal"].is_null()
                               ? Json("the recorder did not note it; `ringside record` does")
                               : Json(nullptr);
    json["events"] = Json::array();
    for (const auto& event : events) {
        const auto& totals = view.profile.events[event.event];
        Json entry = {{"name", totals.name},
                      {"samples", totals.samples},
                      {"lost", totals.lost},
                      {"rows", Json::array()}};
        if (!totals.unit.empty()) entry["unit"] = totals.unit;
        for (const auto& row : event.rows)
            entry["rows"].push_back(row_json(view, event.event, row));
        if (view.call_graph != CallGraph::none) {
            const auto tree = view.tree(event.event);
            entry["call_graph"] = tree_json(view, event.event, tree, tree.children(true), 0);
        }
        json["events"].push_back(std::move(entry));
    }
    return json.text();
}

}  // namespace ringside::report
