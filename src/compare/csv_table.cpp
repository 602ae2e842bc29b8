#include "compare/csv_table.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "model/unit.h"

namespace ringside::compare {

namespace {

using run::Hit;
using run::Measurement;
using run::Run;
using Cells = std::vector<std::string>;

class Table {
  public:
    explicit Table(const Cells& titles) {
        for (std::size_t i = 0; i < titles.size(); ++i) {
            columns_.emplace(base::to_lower(titles[i]), i);
        }
    }

    bool has(std::string_view title) const { return columns_.count(std::string(title)) > 0; }

    // The first of these columns that there is.
    std::string cell(const Cells& row, std::initializer_list<std::string_view> titles) const {
        for (const auto title : titles) {
            const auto found = columns_.find(std::string(title));
            if (found != columns_.end() && found->second < row.size()) return row[found->second];
        }
        return {};
    }

    Result<void> check() const {
        const bool named = has("event") || has("name") || has("symbol");
        const bool valued = has("value") || has("period") || share_title() != nullptr;
        if (named && valued) return {};
        return base::fail(ErrorCode::bad_input, "not a table that can be compared",
                          "the first line of a CSV names columns: event, symbol, dso, value, run; "
                          "or give a perf.data file, the text of perf report, or a folder of "
                          "`ringside measure`");
    }

    // A column of shares, of 100.
    const char* share_title() const {
        for (const char* title : {"self_pct", "overhead", "percent"}) {
            if (has(title)) return title;
        }
        return nullptr;
    }

    Result<void> add(const Cells& row, Run& run) const {
        if (cell(row, {"kind"}) == "time") return add_time(row, run);
        const bool function = !cell(row, {"symbol"}).empty() || !cell(row, {"dso"}).empty();
        return function ? add_hit(row, run) : add_count(row, run);
    }

  private:
    Result<double> value(const Cells& row) const {
        const char* share = share_title();
        const std::string text =
            has("value") || has("period") ? cell(row, {"value", "period"}) : cell(row, {share});
        const auto number = parse_double(text);
        if (!number)
            return base::fail(ErrorCode::bad_input, fmt::format("no number: \"{}\"", text));
        return *number;
    }

    std::string unit(const Cells& row) const {
        if (has("unit")) return cell(row, {"unit"});
        if (!has("value") && !has("period")) return "%";
        return model::counts_ns(cell(row, {"event", "name"})) ? "ns" : "";
    }

    Result<void> add_time(const Cells& row, Run& run) const {
        const std::string unit = cell(row, {"unit"});
        if (unit != "ns" || cell(row, {"value"}).empty()) return {};
        Measurement count;
        count.name = "time." + cell(row, {"name"});
        count.unit = unit;
        const auto number = value(row);
        if (!number) return number.error();
        count.value = *number;
        run.counts.push_back(std::move(count));
        return {};
    }

    Result<void> add_count(const Cells& row, Run& run) const {
        Measurement count;
        count.name = cell(row, {"event", "name"});
        if (count.name == "event") count.name = cell(row, {"name"});
        count.unit = unit(row);
        count.reason = cell(row, {"reason"});
        if (const std::string state = cell(row, {"state"}); !state.empty()) {
            const auto known = parse_state(state);
            if (!known) {
                return base::fail(ErrorCode::bad_input, fmt::format("no state: \"{}\"", state));
            }
            count.state = *known;
        }
        if (count.ok()) {
            const auto number = value(row);
            if (!number) return number.error();
            count.value = *number;
        }
        count.running_ratio = parse_double(cell(row, {"running_ratio"})).value_or(1);
        run.counts.push_back(std::move(count));
        return {};
    }

    Result<void> add_hit(const Cells& row, Run& run) const {
        Hit hit;
        hit.event = cell(row, {"event", "name"});
        if (hit.event.empty()) hit.event = "samples";
        hit.module = cell(row, {"dso", "module"});
        if (hit.module.empty()) hit.module = "[unknown]";
        hit.symbol = cell(row, {"symbol"});
        const std::string mode = cell(row, {"mode"});
        hit.in_kernel = mode.ends_with("kernel") || mode == "k" || mode == "[k]" || mode == "g" ||
                        (mode.empty() && hit.module.starts_with("[kernel"));
        hit.resolved = !hit.symbol.starts_with("0x");
        const auto number = value(row);
        if (!number) return number.error();
        hit.value = *number;
        hit.samples = parse_double(cell(row, {"samples"})).value_or(0);
        if (run.find_sampled(hit.event) == nullptr) {
            if (run.sampled.size() == run::most_sampled) {
                return base::fail(
                    ErrorCode::bad_input,
                    fmt::format("more than {} events with functions", run::most_sampled));
            }
            run.sampled.push_back({hit.event, unit(row), 0, 0});
        }
        for (auto& sampled : run.sampled) {
            if (sampled.event == hit.event) sampled.samples += hit.samples;
        }
        run.hits.push_back(std::move(hit));
        return {};
    }

    std::map<std::string, std::size_t> columns_;
};

}  // namespace

std::optional<double> parse_double(std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<CounterState> parse_state(std::string_view text) {
    for (const auto state :
         {CounterState::ok, CounterState::dead, CounterState::starved, CounterState::absent,
          CounterState::not_permitted, CounterState::not_scheduled, CounterState::implausible}) {
        if (to_string(state) == text) return state;
    }
    return std::nullopt;
}

Result<std::vector<Run>> parse_csv_table(std::string_view text) {
    const auto rows = base::parse_csv(text);
    const Table table(rows.empty() ? Cells() : rows.front());
    if (auto sound = table.check(); !sound) return sound.error();
    std::map<std::string, Run> runs;
    for (std::size_t i = 1; i < rows.size() && runs.size() <= run::most_runs; ++i) {
        if (auto added = table.add(rows[i], runs[table.cell(rows[i], {"run"})]); !added) {
            Error error = added.error();
            error.what = fmt::format("row {}: {}", i, error.what);
            return error;
        }
    }
    if (runs.empty()) return base::fail(ErrorCode::bad_input, "a table without rows");
    if (runs.size() > run::most_runs)
        return base::fail(ErrorCode::bad_input, fmt::format("more than {} runs", run::most_runs));
    std::vector<Run> list;
    list.reserve(runs.size());
    for (auto& [name, run] : runs) list.push_back(std::move(run));
    return list;
}

}  // namespace ringside::compare
