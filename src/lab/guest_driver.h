// A guest kernel's PMU driver, reduced to its register accesses in their order: what Linux 6.1 does
// in arch/x86/events (AMD PerfMonV2, Intel) and arch/arm64/kernel/perf_event.c. Nothing of the
// accesses is left out or merged, because in a virtual machine each may be an exit.
#pragma once

#include <memory>

#include "lab/pmu_port.h"

namespace ringside::lab {

using vpmu::Mask;
using vpmu::Slot;

class GuestDriver {
  public:
    virtual ~GuestDriver() = default;

    virtual void boot(PmuPort&) {}
    // perf brackets every change with these. `active`: the counters that are started.
    virtual void disable_all(PmuPort& port, Mask active) = 0;
    virtual void enable_all(PmuPort& port, Mask active) = 0;
    // Overflows `distance` events later.
    virtual void start(PmuPort& port, Slot slot, const vpmu::Event& event,
                       std::uint64_t distance) = 0;
    virtual void stop(PmuPort& port, Slot slot) = 0;
    virtual std::uint64_t read(PmuPort& port, Slot slot) = 0;
    virtual void set_distance(PmuPort& port, Slot slot, std::uint64_t distance) = 0;

    // The interrupt handler's frame: which counters overflowed, and the end of it.
    virtual Mask begin_interrupt(PmuPort& port) = 0;
    virtual void end_interrupt(PmuPort& port, Mask overflowed, Mask active) = 0;
    // AMD's handler reads every counter, the others only those that overflowed.
    virtual bool handler_reads_all() const { return false; }
    // Arm's driver starts each event of a group at once and takes it back if one finds no counter.
    virtual bool starts_at_once() const { return false; }

    // What a counter reads `distance` events before its overflow, and how far apart two readings
    // can be.
    virtual std::uint64_t reading_at(std::uint64_t distance) const = 0;
    virtual std::uint64_t value_mask() const = 0;
    // Linux lets a counter that only counts overflow after half its range.
    std::uint64_t longest_distance() const { return value_mask() >> 1; }
};

// An event as a selector has it, without enable and interrupt bits.
std::uint64_t selector_bits(const vpmu::PmuModel& model, const vpmu::Event& event);

std::unique_ptr<GuestDriver> make_driver(const vpmu::PmuModel& model);

}  // namespace ringside::lab
