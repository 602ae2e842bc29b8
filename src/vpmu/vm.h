// A virtual machine's and a vCPU's share of the PMU. What the guest sees (`guest`) and what the
// hardware is given (`effective`) are kept apart: the filter and the policy stand between them.
#pragma once

#include "abi/vpmu_page.h"
#include "vpmu/arch.h"
#include "vpmu/filter.h"
#include "vpmu/host_events.h"
#include "vpmu/policy.h"

namespace ringside::vpmu {

using CpuId = std::uint32_t;
inline constexpr CpuId no_cpu = ~CpuId{0};

struct Vm {
    Policy policy = Policy::mediated;
    PmuModel model;
    Filter filter;
    bool consents = false;  // to the host reading its totals (shared_view)
    // Arm traps all PMU accesses or none. Without traps nothing can be emulated; a filter that
    // denies something brings the traps back.
    bool direct = false;
    // Arm: the hardware has no CHAIN event (QEMU's has not). Needs traps, so not with `direct`.
    bool emulates_chain = false;
};

// Events counted between an overflow and the moment somebody handled it.
struct Skid {
    std::uint64_t count = 0;
    std::uint64_t total = 0;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;

    void add(std::uint64_t events);
};

// What the host may know of a consenting machine: totals by event, never a counter's value.
struct ViewEntry {
    Event event;
    std::uint64_t total = 0;
};
inline constexpr unsigned max_view_entries = 16;

// paravirtual: what one hypercall configures. Counters in `sampling` start from `value` and
// interrupt; the others only accumulate.
struct LogicalControl {
    Mask slots = 0;
    Mask sampling = 0;
    std::uint64_t selector[max_slots] = {};
    std::uint64_t control = 0;  // FIXED_CTR_CTRL; PMCR with E set
    std::uint64_t value[max_slots] = {};

    // The same configuration needs no hypercall, unless something samples.
    bool operator==(const LogicalControl&) const = default;
};

struct Logical {
    LogicalControl control;
    std::uint64_t sum[max_slots] = {};
    std::uint64_t start[max_slots] = {};
};

struct Backing {
    EventId id = no_event;
    Event event;
};

struct Vcpu {
    explicit Vcpu(Vm& machine, TaskId thread = whole_cpu);

    Vm* vm;
    TaskId task;  // the host thread that runs it
    PmuState guest;

    // The hardware's side of the same registers, made by refresh().
    std::uint64_t selector[max_slots] = {};
    std::uint64_t control = 0;
    Mask selected = 0;       // counters whose own selector is on and permitted
    Mask active = 0;         // those that are also enabled: they count
    Mask chained = 0;        // even counters whose overflow we carry into the odd one ourselves
    bool untrapped = false;  // Arm: the guest has all registers in its hands
    std::uint32_t filter_seen = 0;

    bool interrupt_pending = false;  // x86: a PMI to inject
    Mask starved = 0;                // legacy: counting, as the guest believes, but not counted
    std::uint64_t starved_since_ns = 0;
    Residence residence = Residence::never;  // since the last sched_in()
    CpuId resident_on = no_cpu;              // whose hardware holds the registers
    bool parked = false;                     // lazy: they are there, but stopped
    Skid skid;

    Backing backing[max_slots];               // legacy
    std::uint64_t view_base[max_slots] = {};  // shared_view: values when loaded
    ViewEntry view[max_view_entries];
    unsigned view_entries = 0;
    std::uint64_t view_overflow = 0;  // events of those that found no room in `view`

    Logical logical;  // paravirtual

    vpmu_page_vcpu* page = nullptr;  // may be null

    const PmuModel& model() const { return vm->model; }
    // Recomputes what the hardware is given; call after any change of guest state or filter.
    void refresh();
    // After registers were read back that the guest changes itself. Not the place where a new
    // filter is adopted: the hardware still holds what the old one allowed.
    void follow_guest();
    void reset();
    // On Arm the level of the interrupt line; on x86 whether a PMI waits to be injected.
    bool wants_interrupt() const;
    // The VMM injected it. Without effect on Arm, where the guest lowers the level itself.
    void interrupt_injected() { interrupt_pending = false; }

  private:
    void update_active();
};

// Must this access leave the guest?
bool intercepts(const Vcpu& vcpu, const PmuModel& host, Register which, bool writes);

// Are the guest's registers the hardware's, one to one and at full width?
bool sees_whole_pmu(const PmuModel& guest, const PmuModel& host);

// Registers that the guest changes without our seeing it, to be read back.
struct DirectRegisters {
    Mask counters = 0;
    bool held = false;  // any at all
    bool enable = false;
    bool all = false;  // Arm without traps
};
DirectRegisters direct_registers(const Vcpu& vcpu, const PmuModel& host);

// A selector that counts where it shall: on AMD by GuestOnly/HostOnly, on Arm by NSH, P and U.
std::uint64_t gated(const PmuModel& model, std::uint64_t selector, bool in_guest, bool in_host);

// shared_view: what was counted between the two, by event. Writes to counters are intercepted under
// that policy, so that a difference of values is a number of events.
void begin_view(Vcpu& vcpu);
void end_view(Vcpu& vcpu);

// shared_view: the sum of an event over `vcpus`; false if the machine does not consent or never
// counted the event, and then `total` is untouched.
bool host_view(const Vcpu* const* vcpus, unsigned count, const Event& event, std::uint64_t& total);

}  // namespace ringside::vpmu
