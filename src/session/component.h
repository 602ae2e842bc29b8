// What a component is: a source of events that an event set can count. A new one is a folder under
// src/components and a line in registry.cpp; nothing in this room knows any of them by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "perf/register_set.h"

namespace ringside::session {

struct ComponentEvent {
    std::string name;  // without the component: "READ_BYTES", "eth0:rx:bytes"
    std::string description;
    std::string unit;  // "ns", "bytes", "calls"; empty for plain counts
    // A total only grows, and a set counts what was added since its start. A level (a queue's
    // length, a memory limit) is given as it stands.
    bool level = false;
    std::uint64_t id = 0;  // the component's own; it may number its events as it likes
};

struct Availability {
    bool usable = false;
    std::string reason;  // why not, or with what limits
};

// The open counters of one set in one component. Used by one thread at a time.
class Counters {
  public:
    virtual ~Counters() = default;
    virtual Result<void> start() = 0;  // from 0
    virtual Result<void> stop() = 0;   // values stay readable
    virtual Result<void> reset() = 0;
    // One Reading for each event that was opened, in that order. Must not allocate.
    virtual Result<void> read(std::span<Reading> out) = 0;
    // Values alone; by default read() without the rest.
    virtual Result<void> read_values(std::span<std::int64_t> out);
    // The same in as few instructions as can be, where nothing has to be worked out. False: ask
    // read_values(), which also says what is wrong if something is.
    virtual bool read_plain(std::int64_t* out);
    // While it runs: the registers that hold exactly its values, in their order.
    virtual const perf::Registers& registers() const { return perf::no_registers; }
    // Completes the verdicts of `readings`, at leisure. By default they stay as read() gave them.
    virtual void judge(std::span<Reading> readings);
    // Why the verdict on event `index` is what it is; empty when there is nothing to say.
    virtual std::string reason(std::size_t index) const;
    // The same, and how it was read.
    virtual std::string explain(std::size_t index) const;
    virtual Result<void> on_overflow(std::size_t index, std::uint64_t period,
                                     OverflowHandler handler);
};
using CountersPtr = std::unique_ptr<Counters>;

// Shared by all sets of a session; its functions may be called from several threads at once.
// Constructing one must be cheap: look at the machine at the first call that needs it.
class Component {
  public:
    virtual ~Component() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view description() const = 0;
    virtual Availability availability() const = 0;
    // Those that can be opened here and now.
    virtual std::vector<ComponentEvent> events() const = 0;
    // `name` without the component. Fails with not_found, or with the reason it cannot count here.
    virtual Result<ComponentEvent> find(std::string_view name) const = 0;
    // All of `events`, which find() gave, or none.
    virtual Result<CountersPtr> open(std::span<const ComponentEvent> events,
                                     const SetOptions& options) const = 0;
};
using ComponentPtr = std::unique_ptr<Component>;

}  // namespace ringside::session
