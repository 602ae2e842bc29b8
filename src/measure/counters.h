// The counters of one measurement: an event set for each part of the targets, and the rows they
// fill.
#pragma once

#include <optional>
#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "analysis/stat.h"
#include "measure/engine.h"
#include "measure/events.h"
#include "measure/targets.h"

namespace ringside::measure {

class CounterSets {
  public:
    // Opens what can be opened; an event that cannot has its state in every reading. With `held`
    // the targets are children that wait for their exec, and count from there. Fails where nobody
    // can mean it: an unknown event, a bad filter, a process that is gone, a required event that
    // cannot count.
    static Result<CounterSets> open(const Session& session, std::vector<AskedEvent> events,
                                    const std::vector<TargetPart>& parts, bool held);

    Result<void> start();
    void stop();

    // Since the start, or since the last interval was read: the same rows in the same order.
    Result<analysis::StatRows> read() { return read(&EventSet::read); }
    Result<analysis::StatRows> read_interval() { return read(&EventSet::read_interval); }

    const std::vector<AskedEvent>& events() const { return events_; }
    // Nothing counts, because nobody here may count anything.
    bool forbidden() const;

  private:
    struct PartCounters {
        EventSet set;
        analysis::StatRows rows;          // one for each asked event, as it is before it counts
        std::vector<std::size_t> counts;  // which rows the set's events fill, in its order
    };

    explicit CounterSets(std::vector<AskedEvent> events) : events_(std::move(events)) {}
    Result<void> find_all(const Session& session);
    Result<void> open_part(const Session& session, const TargetPart& target, bool held);
    Result<void> add_events(PartCounters& part) const;
    Result<analysis::StatRows> read(Result<std::vector<Reading>> (EventSet::*how)());

    std::vector<AskedEvent> events_;
    analysis::StatRows blank_;  // the asked events, with what is wrong with them everywhere
    std::vector<PartCounters> parts_;
};

// Counts of the targets; of a command from its exec on.
class Counters final : public Collector {
  public:
    // Where the events were chosen for the user and nobody may count in the kernel, they are
    // counted in user mode. Both must live as long as this.
    Counters(const Session& session, const Targets& targets, std::vector<AskedEvent> events)
        : session_(session), targets_(targets), events_(std::move(events)) {}

    Result<void> attach(pid_t command) override;
    Result<void> begin() override;
    Result<void> read_interval(run::Interval& interval) override;
    void stop() override;
    Result<void> end() override;
    // Events that were chosen for the user and cannot count are marked as left out.
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) override;

    // Those that are counted.
    const std::vector<AskedEvent>& events() const { return sets_ ? sets_->events() : events_; }

  private:
    const Session& session_;
    const Targets& targets_;
    std::vector<AskedEvent> events_;
    std::optional<CounterSets> sets_;
    analysis::StatRows rows_;
};

// Marks rows of events that nobody named and that cannot count here. The rows are as they were
// read.
void mark_left_out(analysis::StatRows& rows, const std::vector<AskedEvent>& events);
// Takes the marked ones out.
analysis::StatRows take_left_out(analysis::StatRows& rows);
// From and to the counts of a run.
analysis::StatRows rows_of(const std::vector<run::Measurement>& counts);
void add_counts(const analysis::StatRows& rows, std::vector<run::Measurement>& counts);

// The first required event that is not ok, as an error.
Result<void> check_required(const analysis::StatRows& rows, const std::vector<AskedEvent>& events);

}  // namespace ringside::measure
