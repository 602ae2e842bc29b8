// What the hypervisor shall run and how, as text: one statement a line, `#` starts a comment.
// README.md lists the statements. The manifest is input: it is checked whole before a guest runs.
#pragma once

#include <string_view>

#include "hyp/core/range.h"
#include "vpmu/filter.h"
#include "vpmu/host_events.h"
#include "vpmu/policy.h"

namespace ringside::hyp {

inline constexpr unsigned max_guests = 8;
inline constexpr unsigned max_host_event_specs = 8;
inline constexpr unsigned max_filter_events = 16;
inline constexpr unsigned max_windows = 4;

struct FilterSpec {
    vpmu::Filter::Action action = vpmu::Filter::Action::deny;
    unsigned count = 0;
    vpmu::FilterEntry entries[max_filter_events] = {};
};

// Devices whose registers a guest reaches only through the hypervisor.
struct WindowSpec {
    std::string_view name;
    Range range;
    std::uint64_t work = 0;  // instructions spent on each access, in place of a device model's
};

struct GuestSpec {
    std::string_view name;
    Range memory;                  // physical
    std::uint64_t guest_base = 0;  // where the guest sees it
    std::uint64_t entry = 0;       // the rest is in guest addresses
    vpmu::Policy policy = vpmu::Policy::mediated;
    bool direct = false;    // the PMU's registers in the guest's hands (vpmu::Vm::direct)
    bool consents = false;  // to the host reading totals (shared_view)
    bool devices = false;   // owns the machine's devices and their interrupts
    bool leads = false;     // when it ends, the run ends
    FilterSpec filter;
    unsigned window_count = 0;
    WindowSpec windows[max_windows] = {};
    std::uint64_t device_tree = 0;  // where to put one; 0 for none
    Range initrd;
    std::string_view boot_arguments;

    Range guest_memory() const { return range_of(guest_base, memory.bytes()); }
};

struct Manifest {
    std::uint64_t slice_us = 1000;
    std::uint64_t limit_ms = 10'000;
    unsigned host_event_count = 0;
    vpmu::HostEventRequest host_events[max_host_event_specs] = {};
    unsigned guest_count = 0;
    GuestSpec guests[max_guests] = {};
};

struct ManifestProblem {
    unsigned line = 0;
    const char* what = nullptr;  // null: there is none

    explicit operator bool() const { return what != nullptr; }
};

// Texts in `into` point into `text`. Guests must lie in `ram`, outside `reserved`, and apart.
ManifestProblem parse_manifest(std::string_view text, const Range& ram, const Range& reserved,
                               Manifest& into);

}  // namespace ringside::hyp
