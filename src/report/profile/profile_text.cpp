#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/visible.h"
#include "report/profile/profile_view.h"

namespace ringside::report {

namespace {

using profile::Column;

// perf's marks: [.] user, [k] kernel, [g] and [u] the same in a guest, [H] hypervisor.
char mark(perf::CpuMode mode) {
    constexpr std::string_view marks = "?k.Hgu";
    return marks[static_cast<std::size_t>(mode)];
}

std::string heading(const profile::EventTotals& totals) {
    std::string text = fmt::format("# {}: {} samples, event count {}",
                                   totals.name.empty() ? "event" : base::visible(totals.name),
                                   totals.samples, totals.period);
    text += totals.lost > 0 ? fmt::format(", {} samples lost\n", totals.lost) : "\n";
    if (!totals.unit.empty()) text += fmt::format("# unit: {}\n", totals.unit);
    return text;
}

class Table {
  public:
    Table(const ProfileView& view, const profile::EventRows& event) : view_(view), event_(event) {
        for (const auto column : view.columns) widths_.push_back(to_string(column).size());
        widths_.back() = 0;  // nothing stands behind the last column
        for (const auto& row : event.rows) {
            const auto weight = view.children ? row.total_period : row.period;
            if (view.percent(event.event, weight) < view.least_percent) continue;
            shown_.push_back(&row);
            for (std::size_t i = 0; i + 1 < widths_.size(); ++i)
                widths_[i] = std::max(widths_[i], std::min(widest, cell(row, i).size()));
        }
    }

    std::string text() const {
        std::string text = view_.children ? "#   total     self" : "#    self";
        const auto out = std::back_inserter(text);
        for (std::size_t i = 0; i < widths_.size(); ++i)
            fmt::format_to(out, "  {:<{}}", to_string(view_.columns[i]), widths_[i]);
        text += '\n';
        for (const profile::Row* row : shown_) {
            if (view_.children)
                fmt::format_to(out, "{:8.2f}%", view_.percent(event_.event, row->total_period));
            fmt::format_to(out, "{:8.2f}%", view_.percent(event_.event, row->period));
            for (std::size_t i = 0; i < widths_.size(); ++i) add_cell(cell(*row, i), i, text);
            text += '\n';
        }
        return text;
    }

  private:
    void add_cell(const std::string& cell, std::size_t column, std::string& text) const {
        text += "  ";
        text += cell;
        if (cell.size() < widths_[column]) text.append(widths_[column] - cell.size(), ' ');
    }

    std::string cell(const profile::Row& row, std::size_t index) const {
        const Column column = view_.columns[index];
        std::string text = base::visible(view_.cell(event_.event, row, column));
        if (column == Column::symbol)
            text.insert(0, {'[', mark(view_.function(row).mode), ']', ' '});
        return text;
    }

    static constexpr std::size_t widest = 48;  // a single long name shall not part all rows

    const ProfileView& view_;
    const profile::EventRows& event_;
    std::vector<std::size_t> widths_;
    std::vector<const profile::Row*> shown_;
};

// Depth first, heaviest branch first, each level one blank further in.
std::string tree_text(const ProfileView& view, std::size_t event) {
    const auto tree = view.tree(event);
    const auto children = tree.children(true);
    struct Visit {
        std::uint32_t node = 0;
        std::size_t depth = 0;
    };
    std::vector<Visit> open{{0, 0}};
    std::string text = view.call_graph == CallGraph::callee
                           ? "#   total     self  functions, and below each its callers\n"
                           : "#   total     self  threads, and below each what it calls\n";
    while (!open.empty()) {
        const Visit visit = open.back();
        open.pop_back();
        const auto& node = tree.nodes()[visit.node];
        if (visit.node != 0) {
            const auto& frame = tree.frames()[node.frame];
            text += fmt::format("{:8.2f}%{:8.2f}%  {:{}}{}", view.percent(event, node.total),
                                view.percent(event, node.self), "", visit.depth - 1,
                                base::visible(frame.name));
            text += frame.module.empty() || frame.name.find(frame.module) != std::string::npos
                        ? "\n"
                        : fmt::format("  ({})\n", base::visible(frame.module));
        }
        const auto& below = children[visit.node];
        for (auto child = below.rbegin(); child != below.rend(); ++child)
            if (view.percent(event, tree.nodes()[*child].total) >= view.least_graph_percent)
                open.push_back({*child, visit.depth + 1});
    }
    return text;
}

}  // namespace

std::string ProfileView::cell(std::size_t event, const profile::Row& row, Column column) const {
    switch (column) {
        case Column::comm:
            return profile.world->comm(row.comm);
        case Column::pid:
            return std::to_string(static_cast<std::int32_t>(row.pid));
        case Column::tid:
            return std::to_string(static_cast<std::int32_t>(row.tid));
        case Column::cpu:
            return std::to_string(row.cpu);
        case Column::cgroup:
            return profile.world->cgroup(row.cgroup);
        case Column::module:
            return function(row).module;
        case Column::symbol:
            return function(row).name;
        case Column::mode:
            return std::string(to_string(function(row).mode));
        case Column::line:
            return naming.lines[row.line];
        case Column::event:
            return profile.events[event].name;
    }
    return {};
}

double ProfileView::percent(std::size_t event, std::uint64_t period) const {
    const std::uint64_t whole = profile.events[event].period;
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(period) / static_cast<double>(whole);
}

profile::CallTree ProfileView::tree(std::size_t event) const {
    profile::CallTree from_callers(profile, naming, event);
    return call_graph == CallGraph::callee ? from_callers.inverted() : from_callers;
}

std::string profile_text(const ProfileView& view, const std::vector<profile::EventRows>& events) {
    std::string text;
    if (const auto stolen = profile::stolen_between(view.profile.steal))
        text += fmt::format("# stolen by the host: {:.2f} s of {:.2f} s on {} CPUs ({:.1f} %)\n",
                            1e-9 * static_cast<double>(stolen->stolen_ns),
                            1e-9 * static_cast<double>(stolen->time_ns), stolen->cpus,
                            stolen->percent());
    for (const auto& event : events) {
        text += heading(view.profile.events[event.event]);
        text += view.call_graph == CallGraph::none ? Table(view, event).text()
                                                   : tree_text(view, event.event);
        text += '\n';
    }
    for (const auto& warning : view.naming.warnings) text += "# " + base::visible(warning) + "\n";
    return text;
}

std::string profile_csv(const ProfileView& view, const std::vector<profile::EventRows>& events) {
    const bool mode = profile::shows_mode(view.columns);
    std::string text = "event";
    for (const auto column : view.columns)
        if (column != Column::event && column != Column::mode)
            text += fmt::format(",{}", to_string(column));
    text += fmt::format("{},samples,period,self_pct{}\n", mode ? ",mode" : "",
                        view.children ? ",total_pct" : "");
    for (const auto& event : events) {
        for (const auto& row : event.rows) {
            text += base::csv_field(view.profile.events[event.event].name);
            for (const auto column : view.columns)
                if (column != Column::event && column != Column::mode)
                    text += "," + base::csv_field(view.cell(event.event, row, column));
            if (mode) text += fmt::format(",{}", to_string(view.function(row).mode));
            text += fmt::format(",{},{},{:.6f}", row.samples, row.period,
                                view.percent(event.event, row.period));
            if (view.children)
                text += fmt::format(",{:.6f}", view.percent(event.event, row.total_period));
            text += '\n';
        }
    }
    return text;
}

}  // namespace ringside::report
