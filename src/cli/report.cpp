// `ringside report`: a recorded profile as a table.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/style.h"
#include "cli/verbs.h"
#include "profile/rows.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;
using profile::Column;
using profile::Row;

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// A profile with its names and rows, and what is asked of them.
struct View {
    const profile::Profile& profile;
    const profile::Naming& naming;
    const std::vector<Column>& columns;
    bool children = false;

    const profile::Function& function(const Row& row) const {
        return naming.functions[row.function];
    }
    std::string cell(const Row& row, Column column) const {
        switch (column) {
            case Column::comm:
                return profile.world->comm(row.comm);
            case Column::pid:
                return std::to_string(row.pid);
            case Column::tid:
                return std::to_string(row.tid);
            case Column::cpu:
                return std::to_string(row.cpu);
            case Column::cgroup:
                return std::to_string(row.cgroup);
            case Column::module:
                return function(row).module;
            case Column::symbol:
                return function(row).name;
            case Column::mode:
                return std::string(to_string(function(row).mode));
        }
        return {};
    }
};

// perf's marks: [.] user, [k] kernel, [g] and [u] the same in a guest, [H] hypervisor.
char mark(perf::CpuMode mode) {
    constexpr std::string_view marks = "?k.Hgu";
    return marks[static_cast<std::size_t>(mode)];
}

std::string event_heading(const profile::EventTotals& totals) {
    std::string text =
        fmt::format("# {}: {} samples, event count {}", totals.name.empty() ? "event" : totals.name,
                    totals.samples, totals.period);
    text += totals.lost > 0 ? fmt::format(", {} samples lost\n", totals.lost) : "\n";
    return text;
}

std::string rows_text(const View& view, const profile::EventRows& event, double least_percent) {
    const auto& totals = view.profile.events[event.event];
    std::string text = event_heading(totals);
    std::vector<std::size_t> widths;
    for (const auto column : view.columns) widths.push_back(to_string(column).size());
    std::vector<const Row*> shown;
    for (const auto& row : event.rows) {
        const auto weight = view.children ? row.total_period : row.period;
        if (percent(weight, totals.period) < least_percent) continue;
        shown.push_back(&row);
        for (std::size_t i = 0; i < view.columns.size(); ++i)
            widths[i] = std::max(widths[i], view.cell(row, view.columns[i]).size());
    }
    text += view.children ? "#   total     self" : "#    self";
    for (std::size_t i = 0; i < view.columns.size(); ++i)
        text += fmt::format("  {:<{}}", to_string(view.columns[i]),
                            widths[i] + (view.columns[i] == Column::symbol ? 4 : 0));
    while (text.back() == ' ') text.pop_back();
    text += '\n';
    for (const Row* row : shown) {
        if (view.children)
            text += fmt::format("{:8.2f}%", percent(row->total_period, totals.period));
        text += fmt::format("{:8.2f}%", percent(row->period, totals.period));
        for (std::size_t i = 0; i < view.columns.size(); ++i) {
            std::string cell = view.cell(*row, view.columns[i]);
            if (view.columns[i] == Column::symbol)
                cell = fmt::format("[{}] {}", mark(view.function(*row).mode), cell);
            const bool last = i + 1 == view.columns.size();
            text += last ? "  " + cell : fmt::format("  {:<{}}", cell, widths[i]);
        }
        text += '\n';
    }
    return text;
}

Json row_json(const View& view, const Row& row, std::uint64_t period) {
    Json json;
    const auto& function = view.function(row);
    const auto shows = [&](Column column) {
        return std::find(view.columns.begin(), view.columns.end(), column) != view.columns.end();
    };
    json["symbol"] = shows(Column::symbol) ? Json(function.name) : Json(nullptr);
    json["dso"] = shows(Column::module) ? Json(function.module) : Json(nullptr);
    json["comm"] = shows(Column::comm) ? Json(view.profile.world->comm(row.comm)) : Json(nullptr);
    json["mode"] = to_string(function.mode);
    json["resolved"] = function.resolved;
    for (const auto column : {Column::pid, Column::tid, Column::cpu, Column::cgroup})
        if (shows(column)) json[std::string(to_string(column))] = view.cell(row, column);
    json["samples"] = row.samples;
    json["period"] = row.period;
    json["self_pct"] = percent(row.period, period);
    if (view.children) json["total_pct"] = percent(row.total_period, period);
    return json;
}

std::string json_of(const View& view, const std::vector<profile::EventRows>& events) {
    Json json;
    json["schema"] = "ringside.report/1";
    json["warnings"] = view.profile.warnings;
    json["events"] = Json::array();
    for (const auto& event : events) {
        const auto& totals = view.profile.events[event.event];
        Json entry = {{"name", totals.name},
                      {"samples", totals.samples},
                      {"lost", totals.lost},
                      {"rows", Json::array()}};
        for (const auto& row : event.rows)
            entry["rows"].push_back(row_json(view, row, totals.period));
        json["events"].push_back(std::move(entry));
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text)
        quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return quoted + '"';
}

std::string csv_of(const View& view, const std::vector<profile::EventRows>& events) {
    std::string text = "event";
    for (const auto column : view.columns) text += fmt::format(",{}", to_string(column));
    text += view.children ? ",mode,samples,period,self_pct,total_pct\n"
                          : ",mode,samples,period,self_pct\n";
    for (const auto& event : events) {
        const auto& totals = view.profile.events[event.event];
        for (const auto& row : event.rows) {
            text += csv_cell(totals.name);
            for (const auto column : view.columns) text += "," + csv_cell(view.cell(row, column));
            text += fmt::format(",{},{},{},{:.6f}", to_string(view.function(row).mode), row.samples,
                                row.period, percent(row.period, totals.period));
            if (view.children)
                text += fmt::format(",{:.6f}", percent(row.total_period, totals.period));
            text += '\n';
        }
    }
    return text;
}

class Report final : public Verb {
  public:
    std::string name() const override { return "report"; }
    std::string summary() const override { return "show a recorded profile as a table"; }
    std::string examples() const override {
        return "  ringside report                          perf.data, by command, module and "
               "symbol\n"
               "  ringside report -i vm.data --sort dso    by module alone\n"
               "  ringside report --children               callers with all they called\n"
               "  ringside report --json -o r.json         every row, for programs\n";
    }
    void declare(Options& options) override {
        declare_output(options, output_, true);
        input_.declare(options);
        options.text("-s, --sort", "KEYS", keys_,
                     "comm, pid, tid, cpu, cgroup, dso, symbol, mode [comm,dso,symbol]");
        options.flag("--children", children_, "add what a function called to its own share");
        options.number("--percent-limit", "PERCENT", least_percent_,
                       "leave out lighter rows of the text [0]");
    }

    Outcome run() override {
        auto columns = profile::parse_columns(keys_);
        if (!columns) return columns.error();
        profile::Keep keep = profile::kept_for(*columns);
        keep.stack = children_;
        auto loaded = profile::load(input_.file, keep);
        if (!loaded) return loaded.error();
        const auto naming = profile::symbolize(*loaded, input_.sources());
        auto rows = profile::make_rows(*loaded, naming, *columns, children_);
        // The event that only tracks what is mapped and forked never has samples.
        std::erase_if(rows, [&](const profile::EventRows& event) {
            const auto& totals = loaded->events[event.event];
            return totals.samples == 0 && totals.name.starts_with("dummy");
        });
        const View view{*loaded, naming, *columns, children_};
        input_.print_warnings("ringside report", *loaded);
        if (output_.json) return finish(json_of(view, rows));
        if (output_.csv) return finish(csv_of(view, rows));
        std::string text;
        for (const auto& event : rows) text += rows_text(view, event, least_percent_) + "\n";
        for (const auto& warning : naming.warnings) text += "# " + warning + "\n";
        return finish(text);
    }

  private:
    Outcome finish(const std::string& text) const {
        if (auto done = deliver(output_, text); !done) return done.error();
        return 0;
    }

    OutputChoice output_;
    ProfileInput input_;
    std::string keys_ = "comm,dso,symbol";
    double least_percent_ = 0;
    bool children_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_report() {
    return std::make_unique<Report>();
}

}  // namespace ringside::cli
