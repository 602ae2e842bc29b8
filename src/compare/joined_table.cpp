#include "compare/joined_table.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/csv_table.h"
#include "compare/names.h"
#include "compare/per.h"

namespace ringside::compare {

namespace {

using run::Measurement;
using run::Per;
using run::Run;
using run::Side;
using Cells = std::vector<std::string>;

constexpr std::string_view values_ending = "_values";

Cells header_of(std::string_view text) {
    const auto rows = base::parse_csv(text.substr(0, text.find('\n')));
    return rows.empty() ? Cells() : rows.front();
}

// Where the columns of one side are.
struct SideColumns {
    std::string name;
    std::size_t values = 0;
    std::size_t state = 0;
};

class JoinedTable {
  public:
    // Of so many bytes: a value takes two of them, so that there are no more values.
    JoinedTable(const Cells& titles, std::size_t bytes) : titles_(titles), values_left_(bytes) {
        for (std::size_t i = 0; i < titles.size() && sides_.size() <= run::most_sides; ++i) {
            if (!titles[i].ends_with(values_ending)) continue;
            SideColumns columns;
            columns.name = titles[i].substr(0, titles[i].size() - values_ending.size());
            columns.values = i;
            columns.state = place(columns.name + "_state");
            columns_.push_back(columns);
            sides_.emplace_back().name = columns.name;
        }
    }

    // How many runs a side has is known when all rows were seen.
    Result<void> count_runs(const Cells& row) {
        if (sides_.size() > run::most_sides)
            return base::fail(ErrorCode::bad_input,
                              fmt::format("more than {} sides", run::most_sides));
        const std::string per_text = cell(row, "per");
        const auto per = per_text.empty() ? Per::run : run::parse_per(per_text);
        if (!per) {
            return base::fail(ErrorCode::bad_input,
                              fmt::format("values per \"{}\", which is unknown", per_text));
        }
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const std::string values = cell(row, columns_[i].values);
            const auto words = base::split_words(values);
            if (words.size() > run::most_runs) {
                return base::fail(
                    ErrorCode::bad_input,
                    fmt::format("more than {} runs of {}", run::most_runs, columns_[i].name));
            }
            sides_[i].per = *per;
            auto& runs = sides_[i].runs;
            runs.resize(std::max({runs.size(), words.size(), std::size_t{1}}));
        }
        return {};
    }

    Result<void> add_row(const Cells& row) {
        const bool once = counted_once(cell(row, "event"));
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const std::string state_text = cell(row, columns_[i].state);
            const auto state = parse_state(state_text);
            if (!state) {
                return base::fail(ErrorCode::bad_input,
                                  fmt::format("no state: \"{}\"", state_text));
            }
            const std::string values = cell(row, columns_[i].values);
            const auto words = base::split_words(values);
            auto& runs = sides_[i].runs;
            for (std::size_t j = 0; j < (once ? 1 : runs.size()); ++j) {
                std::optional<double> value;
                if (j < words.size()) value = parse_double(words[j]);
                if (*state == CounterState::ok && !value) {
                    return base::fail(ErrorCode::bad_input, fmt::format("no value for run {} of {}",
                                                                        j + 1, columns_[i].name));
                }
                if (auto added = add(row, *state, value.value_or(0), runs[j]); !added) return added;
            }
        }
        return {};
    }

    std::vector<Side> take() { return std::move(sides_); }

  private:
    std::size_t place(std::string_view title) const {
        const auto found = std::find(titles_.begin(), titles_.end(), title);
        return static_cast<std::size_t>(found - titles_.begin());
    }
    static std::string cell(const Cells& row, std::size_t column) {
        return column < row.size() ? row[column] : std::string();
    }
    std::string cell(const Cells& row, std::string_view title) const {
        return cell(row, place(title));
    }

    Result<void> add(const Cells& row, CounterState state, double value, Run& run) {
        if (values_left_ == 0 || run.sampled.size() > run::most_sampled) {
            return base::fail(ErrorCode::bad_input, "this is more than can be compared");
        }
        --values_left_;
        const std::string event = cell(row, "event");
        const std::string module = cell(row, "dso");
        if (module.empty()) {
            Measurement count;
            count.name = event;
            count.unit = cell(row, "unit");
            count.state = state;
            count.value = value;
            run.counts.push_back(std::move(count));
            return {};
        }
        if (state != CounterState::ok) return {};
        if (run.find_sampled(event) == nullptr) {
            run.sampled.push_back({event, cell(row, "unit"), 0, 0});
        }
        if (value == 0) return {};  // no sample fell into it
        run.hits.push_back({event, module, cell(row, "symbol"), cell(row, "mode") == "kernel",
                            cell(row, "resolved") != "0", value, 0});
        return {};
    }

    Cells titles_;
    std::size_t values_left_;
    std::vector<SideColumns> columns_;
    std::vector<Side> sides_;
};

}  // namespace

bool looks_like_joined_table(std::string_view text) {
    const Cells titles = header_of(text);
    return !titles.empty() && titles.front() == "event" &&
           std::any_of(titles.begin(), titles.end(),
                       [](const std::string& title) { return title.ends_with(values_ending); });
}

Result<std::vector<Side>> parse_joined_table(std::string_view text) {
    const auto rows = base::parse_csv(text);
    if (rows.size() < 2) return base::fail(ErrorCode::bad_input, "a table without rows");
    JoinedTable table(rows.front(), text.size());
    for (const auto step : {&JoinedTable::count_runs, &JoinedTable::add_row}) {
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (auto done = (table.*step)(rows[i]); !done) {
                Error error = done.error();
                error.what = fmt::format("row {}: {}", i, error.what);
                return error;
            }
        }
    }
    return table.take();
}

}  // namespace ringside::compare
