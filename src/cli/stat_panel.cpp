#include "cli/stat_panel.h"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/error.h"
#include "model/unit.h"
#include "perf/event_fd.h"

namespace ringside::cli {

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

Result<StatPanel> StatPanel::open(const Session& session, std::vector<AskedEvent> events,
                                  const std::vector<StatPlace>& places, bool held) {
    StatPanel panel(std::move(events));
    if (auto found = panel.find_all(session); !found) return found.error();
    for (const StatPlace& place : places) {
        if (auto taken = panel.take_seat(session, place, held); !taken) return taken.error();
    }
    for (const Seat& seat : panel.seats_) {
        if (auto usable = cli::check_required(seat.rows, panel.events_); !usable) {
            return usable.error();
        }
    }
    return panel;
}

Result<void> StatPanel::find_all(const Session& session) {
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

Result<void> StatPanel::take_seat(const Session& session, const StatPlace& place, bool held) {
    SetOptions options;
    options.target = place.target;
    options.inherit = place.inherit;
    options.multiplex = true;
    options.start_on_exec = held;
    Seat seat{session.event_set(options), blank_, {}};
    for (StatRow& row : seat.rows) row.place = place.label;
    if (auto filled = fill_seat(seat); !filled) return filled;
    seats_.push_back(std::move(seat));
    return {};
}

// All at once; if that fails, each for itself, to know which is to blame.
Result<void> StatPanel::fill_seat(Seat& seat) const {
    std::vector<std::string> names;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        if (!seat.rows[i].ok()) continue;
        names.push_back(events_[i].set_name());
        rows.push_back(i);
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (names.empty()) return {};
    if (seat.set.add(views)) {
        seat.counts = std::move(rows);
        return {};
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto added = seat.set.add(names[i]);
        if (added) {
            seat.counts.push_back(rows[i]);
            continue;
        }
        if (is_mistake(added.error())) return added;
        fail_row(added.error(), seat.rows[rows[i]]);
    }
    return {};
}

bool StatPanel::forbidden() const {
    return std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) {
        return seat.counts.empty() &&
               std::any_of(seat.rows.begin(), seat.rows.end(), [](const StatRow& row) {
                   return row.state == CounterState::not_permitted;
               });
    });
}

Result<void> StatPanel::start() {
    for (Seat& seat : seats_) {
        if (seat.counts.empty()) continue;
        if (auto started = seat.set.start(); !started) return started;
    }
    return {};
}

void StatPanel::stop() {
    for (Seat& seat : seats_) {
        if (seat.set.running()) static_cast<void>(seat.set.stop());
    }
}

Result<StatRows> StatPanel::read(Result<std::vector<Reading>> (EventSet::*how)()) {
    StatRows all;
    for (Seat& seat : seats_) {
        StatRows rows = seat.rows;
        if (!seat.counts.empty()) {
            const auto readings = (seat.set.*how)();
            if (!readings) return readings.error();
            for (std::size_t i = 0; i < seat.counts.size(); ++i) {
                fill_row((*readings)[i], seat.set, i, rows[seat.counts[i]]);
            }
        }
        std::move(rows.begin(), rows.end(), std::back_inserter(all));
    }
    return all;
}

StatRows take_left_out(StatRows& rows, const std::vector<AskedEvent>& events) {
    StatRows left_out;
    StatRows kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CounterState state = rows[i].state;
        const bool cannot_count = state == CounterState::absent || state == CounterState::dead ||
                                  state == CounterState::not_permitted;
        const bool drop = events[i % events.size()].optional && cannot_count;
        (drop ? left_out : kept).push_back(std::move(rows[i]));
    }
    rows = std::move(kept);
    return left_out;
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

}  // namespace ringside::cli
