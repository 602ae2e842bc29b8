// The counters of one measurement: an event set at each place, and the rows they fill.
#pragma once

#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "analysis/stat.h"
#include "cli/stat_request.h"

namespace ringside::cli {

class StatPanel {
  public:
    // Opens what can be opened; an event that cannot has its state in every reading. With `held`
    // the targets are children that wait for their exec, and count from there. Fails where nobody
    // can mean it: an unknown event, a bad filter, a process that is gone, a required event that
    // cannot count.
    static Result<StatPanel> open(const Session& session, std::vector<AskedEvent> events,
                                  const std::vector<StatPlace>& places, bool held);

    Result<void> start();
    void stop();

    // Since the start, or since the last interval was read: the same rows in the same order.
    Result<analysis::StatRows> read() { return read(&EventSet::read); }
    Result<analysis::StatRows> read_interval() { return read(&EventSet::read_interval); }

    const std::vector<AskedEvent>& events() const { return events_; }
    // Nothing counts, because nobody here may count anything.
    bool forbidden() const;

  private:
    struct Seat {
        EventSet set;
        analysis::StatRows rows;          // one for each asked event, as it is before it counts
        std::vector<std::size_t> counts;  // which rows the set's events fill, in its order
    };

    explicit StatPanel(std::vector<AskedEvent> events) : events_(std::move(events)) {}
    Result<void> find_all(const Session& session);
    Result<void> take_seat(const Session& session, const StatPlace& place, bool held);
    Result<void> fill_seat(Seat& seat) const;
    Result<analysis::StatRows> read(Result<std::vector<Reading>> (EventSet::*how)());

    std::vector<AskedEvent> events_;
    analysis::StatRows blank_;  // the asked events, with what is wrong with them everywhere
    std::vector<Seat> seats_;
};

// Drops rows of events that nobody named and that cannot count here. Returns them.
analysis::StatRows take_left_out(analysis::StatRows& rows, const std::vector<AskedEvent>& events);

// The first required event that is not ok, as an error.
Result<void> check_required(const analysis::StatRows& rows, const std::vector<AskedEvent>& events);

}  // namespace ringside::cli
