#include "compare/join.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analysis/statistics.h"
#include "base/error.h"

namespace ringside::compare {

namespace {

using run::Hit;
using run::Measurement;
using run::Per;
using run::Run;
using run::Sampled;
using run::Side;

constexpr std::string_view unresolved_symbol = "[unresolved]";

// Where a row belongs: event, kernel or not, module, symbol.
using Key = std::tuple<std::string, bool, std::string, std::string>;

class Joining {
  public:
    Joining(const std::vector<Side>& sides, const Divisors& divisors, Per per,
            const NameRules& rules)
        : sides_(sides), divisors_(divisors), per_(per), rules_(rules) {}

    Comparison join() {
        Comparison comparison;
        comparison.per = per_;
        join_counts(comparison.events);
        gather_hits();
        for (auto& [key, row] : rows_) {
            finish_function(row);
            (row.resolved ? comparison.functions : comparison.unresolved).push_back(std::move(row));
        }
        for (auto* rows : {&comparison.events, &comparison.functions, &comparison.unresolved}) {
            judge(*rows);
        }
        for (const auto& [key, sum] : wholes_) {
            auto& sides = comparison.wholes[key.first];
            sides.resize(sides_.size());
            sides[key.second] = sum / static_cast<double>(runs_of(key.second, key.first));
        }
        sort_functions(comparison.functions);
        sort_functions(comparison.unresolved);
        return comparison;
    }

  private:
    // How many runs of a side can have this event.
    std::size_t runs_of(std::size_t side, const std::string& event) const {
        return counted_once(event) ? 1 : sides_[side].runs.size();
    }
    void join_counts(std::vector<Row>& rows);
    Cell count_cell(std::size_t side, const std::string& event) const;
    void note_sampled(const Sampled& sampled, std::size_t side, std::size_t run);
    void gather_hits();
    void add_hit(const Hit& hit, double whole, std::size_t side, std::size_t run);
    void finish_function(Row& row) const;
    void judge(std::vector<Row>& rows) const;
    bool is_heavy(const Row& row) const;
    void sort_functions(std::vector<Row>& rows) const;

    const std::vector<Side>& sides_;
    const Divisors& divisors_;
    Per per_;
    const NameRules& rules_;
    std::map<Key, Row> rows_;
    std::map<std::pair<std::string, std::size_t>, double> wholes_;  // by event and side, all runs
    struct SampledRuns {
        std::size_t runs = 0;  // of those that can have the event
        std::size_t last = 0;  // the number of the last of them, from 1
        std::string unit;
    };
    std::map<std::pair<std::string, std::size_t>, SampledRuns> sampled_;  // by event and side
    std::map<std::string, std::size_t> event_places_;                     // as they came
};

Cell Joining::count_cell(std::size_t side, const std::string& event) const {
    Cell cell;
    std::size_t bad = 0;
    const auto& runs = sides_[side].runs;
    const std::size_t counted = runs_of(side, event);
    for (std::size_t i = 0; i < counted; ++i) {
        const Measurement* count = runs[i].find(event);
        if (count != nullptr && count->ok()) {
            cell.values.push_back(count->value / divisors_[side][i]);
            continue;
        }
        ++bad;
        cell.state = count == nullptr ? CounterState::absent : count->state;
        cell.reason = count == nullptr ? "not measured on this side" : count->reason;
    }
    // A mean over the runs that happened to work would compare different things.
    if (bad > 0 && bad < counted) {
        cell.reason = fmt::format("in {} of {} runs: {}", bad, counted, cell.reason);
    }
    if (bad > 0) cell.values.clear();
    return cell;
}

void Joining::join_counts(std::vector<Row>& rows) {
    std::set<std::string_view> seen;
    for (const Side& side : sides_) {
        for (const Run& run : side.runs) {
            for (const Measurement& count : run.counts) {
                if (!seen.insert(count.name).second) continue;
                Row row;
                row.event = count.name;
                row.unit = count.unit;
                row.grain = 1 / divisors_.front().front();
                for (std::size_t i = 0; i < sides_.size(); ++i) {
                    row.cells.push_back(count_cell(i, count.name));
                }
                rows.push_back(std::move(row));
            }
        }
    }
}

void Joining::add_hit(const Hit& hit, double whole, std::size_t side, std::size_t run) {
    const std::string event = joined_event(hit.event);
    const std::string module = rules_.module(hit.module);
    const std::string symbol =
        hit.resolved ? rules_.symbol(module, hit.symbol) : std::string(unresolved_symbol);
    Row& row = rows_[Key{event, hit.in_kernel, module, symbol}];
    if (row.cells.empty()) {
        row.event = event;
        row.module = module;
        row.symbol = symbol;
        row.in_kernel = hit.in_kernel;
        row.resolved = hit.resolved;
        row.cells.resize(sides_.size());
    }
    Cell& cell = row.cells[side];
    cell.values.resize(runs_of(side, event));
    const bool by_share = per_ == Per::share && sides_[side].per == Per::run;
    const double divisor = by_share ? whole / 100 : divisors_[side][run];
    if (divisor <= 0 || run >= cell.values.size()) return;
    cell.values[run] += hit.value / divisor;
    wholes_[{event, side}] += hit.value / divisor;
    if (hit.samples > 0) row.grain = std::max(row.grain, hit.value / hit.samples / divisor);
    if (hit.resolved && hit.symbol != symbol) cell.name = hit.symbol;
}

void Joining::note_sampled(const Sampled& sampled, std::size_t side, std::size_t run) {
    const std::string name = joined_event(sampled.event);
    event_places_.emplace(name, event_places_.size());
    if (run >= runs_of(side, name)) return;
    SampledRuns& known = sampled_[{name, side}];
    if (known.last != run + 1) ++known.runs;
    known.last = run + 1;
    known.unit = sampled.unit;
}

void Joining::gather_hits() {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        for (std::size_t j = 0; j < sides_[i].runs.size(); ++j) {
            const Run& run = sides_[i].runs[j];
            for (const Sampled& sampled : run.sampled) note_sampled(sampled, i, j);
            std::map<std::string, double> whole;
            for (const Hit& hit : run.hits) whole[hit.event] += hit.value;
            for (const Hit& hit : run.hits) add_hit(hit, whole[hit.event], i, j);
        }
    }
}

// A function that no sample fell into was not seen: that is a 0 where the event was sampled, and
// unknown where it was not.
void Joining::finish_function(Row& row) const {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        Cell& cell = row.cells[i];
        const std::size_t runs = runs_of(i, row.event);
        const auto sampled = sampled_.find({row.event, i});
        if (sampled == sampled_.end() || sampled->second.runs < runs) {
            cell.values.clear();
            cell.state = CounterState::absent;
            cell.reason = "not sampled on this side";
            continue;
        }
        cell.values.resize(runs);
        row.unit = sampled->second.unit;
    }
    if (per_ == Per::share) row.unit = "%";
}

// Whether a function has a part in its event that is worth a test. Thousands of rows of a few
// samples each would drown the others when all are corrected for their number; what is left out by
// its weight on all sides together biases no test (Bourgon, Gentleman and Huber 2010).
bool Joining::is_heavy(const Row& row) const {
    constexpr double least_share = 0.005;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const auto whole = wholes_.find({row.event, i});
        if (whole == wholes_.end() || whole->second <= 0) continue;
        double sum = 0;
        for (const double value : row.cells[i].values) sum += value;
        if (sum / whole->second >= least_share) return true;
    }
    return false;
}

void Joining::judge(std::vector<Row>& rows) const {
    std::map<std::string, std::vector<Ratio*>> families;
    for (Row& row : rows) {
        row.ratios.resize(row.cells.size());
        const bool function = !row.module.empty();
        for (std::size_t i = 1; i < row.cells.size(); ++i) {
            if (!row.cells[0].ok() || !row.cells[i].ok()) continue;
            row.ratios[i] = ratio_of(row.cells[0].values, row.cells[i].values, row.grain);
            if (function && !is_heavy(row)) continue;
            // All counts are one table; the functions of each event are one.
            families[function ? row.event : ""].push_back(&row.ratios[i]);
        }
    }
    for (auto& [event, ratios] : families) adjust_for_many(ratios);
}

void Joining::sort_functions(std::vector<Row>& rows) const {
    const auto weight = [](const Row& row) {
        double most = 0;
        for (const Cell& cell : row.cells) most = std::max(most, cell.mean().value_or(0));
        return most;
    };
    const auto place = [&](const Row& row) {
        const auto found = event_places_.find(row.event);
        return found == event_places_.end() ? event_places_.size() : found->second;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        if (a.event != b.event) return place(a) < place(b);
        return weight(a) > weight(b);
    });
}

}  // namespace

std::optional<double> Cell::mean() const {
    if (!ok() || values.empty()) return std::nullopt;
    return analysis::summarize(values).mean;
}

double Cell::deviation() const {
    return values.empty() ? 0 : analysis::summarize(values).deviation;
}

namespace {

// What is compared is a table of functions by runs: each name is kept once for each run of each
// side.
Result<void> check_size(const std::vector<Side>& sides) {
    constexpr std::size_t most_values = 20'000'000;
    std::size_t runs = 0;
    std::size_t names = 0;
    for (const Side& side : sides) {
        runs += side.runs.size();
        for (const Run& run : side.runs) names += run.hits.size() + run.counts.size();
        const auto too_many = [&](const Run& run) {
            return run.counts.size() > run::most_counts || run.sampled.size() > run::most_sampled;
        };
        if (side.runs.size() > run::most_runs ||
            std::any_of(side.runs.begin(), side.runs.end(), too_many)) {
            return base::fail(
                ErrorCode::bad_input,
                fmt::format("{} has more than {} runs, {} counts or {} sampled events",
                            side.name.substr(0, 100), run::most_runs, run::most_counts,
                            run::most_sampled));
        }
    }
    if (sides.size() <= run::most_sides && runs * names <= most_values) return {};
    return base::fail(ErrorCode::bad_input, "this is more than can be compared",
                      "compare fewer sides, runs or functions");
}

}  // namespace

Result<Comparison> join(const std::vector<Side>& sides, Per per, const NameRules& rules) {
    for (const Side& side : sides) {
        if (side.runs.empty()) {
            return base::fail(ErrorCode::bad_input, side.name + " has no finished run");
        }
    }
    if (sides.empty()) return base::fail(ErrorCode::bad_input, "nothing to compare");
    if (auto sound = check_size(sides); !sound) return sound.error();
    const auto agreed = agreed_per(sides, per);
    if (!agreed) return agreed.error();
    auto divisors = find_divisors(sides, *agreed);
    if (!divisors) return divisors.error();
    auto joined = Joining(sides, *divisors, *agreed, rules).join();
    const auto rows = joined.functions.size() + joined.unresolved.size();
    if (rows > most_rows) {
        return base::fail(ErrorCode::bad_input,
                          fmt::format("this is more than can be compared: {} functions, and {} are "
                                      "the most",
                                      rows, most_rows),
                          "compare profiles of one program, or of fewer events");
    }
    return joined;
}

}  // namespace ringside::compare
