#include "measure/counters.h"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/error.h"
#include "model/unit.h"
#include "perf/event_fd.h"

namespace ringside::measure {

namespace {

using analysis::StatRow;
using analysis::StatRows;

// What is asked for cannot exist, on this machine or any other; or whom it is asked for.
bool is_mistake(const Error& error) {
    if (error.code == ErrorCode::bad_input || error.sys_errno == ESRCH) return true;
    return error.code == ErrorCode::not_found && error.sys_errno == 0;
}

CounterState state_for(const Error& error) {
    if (error.sys_errno != 0) return perf::state_of(error);
    if (error.code == ErrorCode::not_permitted) return CounterState::not_permitted;
    if (error.code == ErrorCode::busy) return CounterState::not_scheduled;
    return CounterState::absent;
}

void fail_row(const Error& error, StatRow& row) {
    row.state = state_for(error);
    row.reason = error.what;
    if (!error.hint.empty()) row.reason += " (" + error.hint + ")";
}

void fill_row(const Reading& reading, const EventSet& set, std::size_t index, StatRow& row) {
    row.state = reading.state;
    row.value = row.metric ? reading.exact : static_cast<double>(reading.value);
    row.scale_error = static_cast<double>(reading.scale_error);
    row.running_ratio = reading.running_ratio();
    row.reason.clear();
    if (row.ok()) return;
    row.reason = set.reason(index);
    if (row.reason.empty()) row.reason = set.explain(index);
    if (row.reason.empty() && row.metric) row.reason = "it divides by 0";
}

}  // namespace

Result<CounterSets> CounterSets::open(const Session& session, std::vector<AskedEvent> events,
                                      const std::vector<TargetPart>& parts, bool held) {
    CounterSets sets(std::move(events));
    if (auto found = sets.find_all(session); !found) return found.error();
    for (const TargetPart& target : parts) {
        if (auto opened = sets.open_part(session, target, held); !opened) return opened.error();
    }
    for (const PartCounters& part : sets.parts_) {
        if (auto usable = measure::check_required(part.rows, sets.events_); !usable) {
            return usable.error();
        }
    }
    return sets;
}

Result<void> CounterSets::find_all(const Session& session) {
    for (const AskedEvent& event : events_) {
        StatRow& row = blank_.emplace_back();
        row.name = event.name;
        row.filter = event.filter;
        row.metric = event.metric;
        const auto found = session.find(event.set_name());
        if (found) {
            row.unit = model::counts_ns(event.name) ? "ns" : found->unit;
            row.metric = !found->formula.empty();
            continue;
        }
        if (is_mistake(found.error())) return found.error();
        fail_row(found.error(), row);
    }
    return {};
}

Result<void> CounterSets::open_part(const Session& session, const TargetPart& target, bool held) {
    SetOptions options;
    options.target = target.target;
    options.inherit = target.inherit;
    options.multiplex = true;
    options.start_on_exec = held;
    PartCounters part{session.event_set(options), blank_, {}};
    for (StatRow& row : part.rows) row.place = target.label;
    if (auto filled = add_events(part); !filled) return filled;
    parts_.push_back(std::move(part));
    return {};
}

// All at once; if that fails, each for itself, to know which is to blame.
Result<void> CounterSets::add_events(PartCounters& part) const {
    std::vector<std::string> names;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        if (!part.rows[i].ok()) continue;
        names.push_back(events_[i].set_name());
        rows.push_back(i);
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (names.empty()) return {};
    if (part.set.add(views)) {
        part.counts = std::move(rows);
        return {};
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto added = part.set.add(names[i]);
        if (added) {
            part.counts.push_back(rows[i]);
            continue;
        }
        if (is_mistake(added.error())) return added;
        fail_row(added.error(), part.rows[rows[i]]);
    }
    return {};
}

bool CounterSets::forbidden() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const PartCounters& part) {
        return part.counts.empty() &&
               std::any_of(part.rows.begin(), part.rows.end(), [](const StatRow& row) {
                   return row.state == CounterState::not_permitted;
               });
    });
}

Result<void> CounterSets::start() {
    for (PartCounters& part : parts_) {
        if (part.counts.empty()) continue;
        if (auto started = part.set.start(); !started) return started;
    }
    return {};
}

void CounterSets::stop() {
    for (PartCounters& part : parts_) {
        if (part.set.running()) static_cast<void>(part.set.stop());
    }
}

Result<StatRows> CounterSets::read(Result<std::vector<Reading>> (EventSet::*how)()) {
    StatRows all;
    for (PartCounters& part : parts_) {
        StatRows rows = part.rows;
        if (!part.counts.empty()) {
            const auto readings = (part.set.*how)();
            if (!readings) return readings.error();
            for (std::size_t i = 0; i < part.counts.size(); ++i) {
                fill_row((*readings)[i], part.set, i, rows[part.counts[i]]);
            }
        }
        std::move(rows.begin(), rows.end(), std::back_inserter(all));
    }
    return all;
}

Result<void> Counters::attach(pid_t command) {
    const bool held = targets_.of_command();
    const auto parts = targets_.parts(command);
    if (!parts) return parts.error();
    auto sets = CounterSets::open(session_, events_, *parts, held);
    if (sets && sets->forbidden() && events_.front().optional) {
        sets = CounterSets::open(session_, default_events(true), *parts, held);
    }
    if (!sets) return sets.error();
    if (sets->forbidden() && !held) {
        return base::fail(ErrorCode::not_permitted, "none of this may be counted by this user",
                          "lower kernel.perf_event_paranoid, or grant CAP_PERFMON");
    }
    sets_.emplace(std::move(*sets));
    return held ? sets_->start() : Result<void>();
}

// What runs already is counted from here on: nothing else is set up any more.
Result<void> Counters::begin() {
    return targets_.of_command() ? Result<void>() : sets_->start();
}

Result<void> Counters::read_interval(run::Interval& interval) {
    const auto rows = sets_->read_interval();
    if (!rows) return rows.error();
    add_counts(*rows, interval.counts);
    return {};
}

void Counters::stop() {
    sets_->stop();
}

Result<void> Counters::end() {
    auto rows = sets_->read();
    if (!rows) return rows.error();
    rows_ = std::move(*rows);
    return {};
}

Result<void> Counters::collect(const std::optional<base::ExitStatus>&, run::Run& run) {
    mark_left_out(rows_, events());
    add_counts(rows_, run.counts);
    return {};
}

void mark_left_out(StatRows& rows, const std::vector<AskedEvent>& events) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CounterState state = rows[i].state;
        const bool cannot_count = state == CounterState::absent || state == CounterState::dead ||
                                  state == CounterState::not_permitted;
        rows[i].left_out = events[i % events.size()].optional && cannot_count;
    }
}

StatRows take_left_out(StatRows& rows) {
    const auto first = std::stable_partition(rows.begin(), rows.end(),
                                             [](const StatRow& row) { return !row.left_out; });
    StatRows left_out(std::make_move_iterator(first), std::make_move_iterator(rows.end()));
    rows.erase(first, rows.end());
    return left_out;
}

StatRows rows_of(const std::vector<run::Measurement>& counts) {
    StatRows rows;
    rows.reserve(counts.size());
    for (const auto& count : counts) rows.push_back({count, std::nullopt});
    return rows;
}

void add_counts(const StatRows& rows, std::vector<run::Measurement>& counts) {
    counts.insert(counts.end(), rows.begin(), rows.end());
}

Result<void> check_required(const StatRows& rows, const std::vector<AskedEvent>& events) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const StatRow& row = rows[i];
        if (!events[i % events.size()].required || row.ok()) continue;
        const std::string where = row.place.empty() ? "" : " on " + row.place;
        return base::fail(ErrorCode::unsupported,
                          row.name + " is required, and " + std::string(to_string(row.state)) +
                              where + ": " + row.reason,
                          "`ringside doctor` says what this machine can count");
    }
    return {};
}

}  // namespace ringside::measure
