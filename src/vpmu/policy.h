// The ways to share a PMU, as one table: who owns the counters when, and what that lets each side
// see. docs/vpmu.md draws it. Only this file knows a policy from another by its name: all others
// ask for a trait. A new policy is a row here and a name in abi/vpmu_page.h.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "abi/vpmu_page.h"
#include "vpmu/model.h"

namespace ringside::vpmu {

enum class Policy : std::uint8_t {
    legacy,         // each guest counter is backed by a host event, through the host's scheduler
    cpu_switch,     // counters change hands whenever the CPU does (Du et al., VEE 2011)
    domain_switch,  // counters change hands when another vCPU runs; the VMM's work is counted
    mediated,       // cpu_switch, host events out, fast exits do not switch (KVM since Linux 7.0)
    lazy_mediated,  // mediated, but registers move only when somebody else needs them
    shared_view,    // mediated, and the host may read totals of machines that consent
    paravirtual,    // per-thread logical counters on a shared page (perfctr-xen, VEE 2011)
};

// How long a vCPU's values stay in the hardware's counters.
enum class Residence : std::uint8_t {
    never,            // host events count for it
    while_in_guest,   // from entry to exit
    until_slow_exit,  // fast exits in between do not count
    while_scheduled,  // from vCPU switch to vCPU switch
    until_needed,     // until the host or another vCPU wants them
};

// How a guest reaches its counters.
enum class Reach : std::uint8_t {
    by_traps,      // each access leaves the guest
    by_registers,  // they are the hardware's own, where these are the guest's one to one
    by_hypercall,  // one configures logical counters, for each thread; programs read them raw
};

struct PolicyTraits {
    const char* name;
    Residence residence;
    // Arm's hardware stops counting at EL2 by itself (NSH = 0, MDCR_EL2.HPMD), so that a CPU switch
    // there moves registers only when another vCPU runs.
    Residence residence_on_arm;
    Reach reach;
    bool counts_vmm;        // work of the VMM on the guest's behalf is counted
    bool host_sees_guest;   // host events may count while the guest runs
    bool host_sees_totals;  // the host may read totals of a consenting machine
};

inline constexpr PolicyTraits policies[] = {
    {"legacy", Residence::never, Residence::never, Reach::by_traps, false, true, false},
    {"cpu_switch", Residence::while_in_guest, Residence::while_scheduled, Reach::by_registers,
     false, false, false},
    {"domain_switch", Residence::while_scheduled, Residence::while_scheduled, Reach::by_registers,
     true, false, false},
    {"mediated", Residence::until_slow_exit, Residence::until_slow_exit, Reach::by_registers, false,
     false, false},
    {"lazy_mediated", Residence::until_needed, Residence::until_needed, Reach::by_registers, false,
     false, false},
    {"shared_view", Residence::until_slow_exit, Residence::until_slow_exit, Reach::by_registers,
     false, false, true},
    {"paravirtual", Residence::while_scheduled, Residence::while_scheduled, Reach::by_hypercall,
     false, false, false},
};
inline constexpr unsigned policy_count = sizeof policies / sizeof policies[0];

constexpr const PolicyTraits& traits_of(Policy policy) {
    return policies[static_cast<unsigned>(policy)];
}

// By a number that somebody else wrote, the page's for instance; null if there is no such policy.
constexpr const PolicyTraits* find_traits(std::uint32_t number) {
    return number < policy_count ? &policies[number] : nullptr;
}

constexpr bool find_policy(std::string_view name, Policy& policy) {
    for (unsigned i = 0; i < policy_count; ++i) {
        if (name != policies[i].name) continue;
        policy = static_cast<Policy>(i);
        return true;
    }
    return false;
}

namespace policy_detail {

// Guests know policies by their number: enumeration and table are in the page's order.
struct PagePolicy {
    Policy policy;
    std::string_view name;
};
#define RINGSIDE_PAGE_POLICY(name) {Policy::name, #name},
inline constexpr PagePolicy on_page[] = {VPMU_PAGE_POLICIES(RINGSIDE_PAGE_POLICY)};
#undef RINGSIDE_PAGE_POLICY

constexpr bool is_in_page_order() {
    if (sizeof on_page / sizeof on_page[0] != policy_count) return false;
    for (unsigned i = 0; i < policy_count; ++i) {
        if (on_page[i].policy != static_cast<Policy>(i)) return false;
        if (on_page[i].name != policies[i].name) return false;
    }
    return true;
}
static_assert(is_in_page_order());

// A total is what counters gained between load and save (begin_view, end_view): a write of the
// guest's in between would be taken for events. So it must find the registers in memory.
constexpr bool totals_hold() {
    for (const PolicyTraits& one : policies) {
        for (const Residence residence : {one.residence, one.residence_on_arm}) {
            const bool saved_at_writes =
                residence == Residence::while_in_guest || residence == Residence::until_slow_exit;
            if (one.host_sees_totals && !saved_at_writes) return false;
        }
    }
    return true;
}
static_assert(totals_hold());

template <auto trait, auto value, unsigned... row>
constexpr bool is_one_with(Policy policy, std::integer_sequence<unsigned, row...>) {
    return ((policies[row].*trait == value && policy == static_cast<Policy>(row)) || ...);
}

// Does the policy have this trait? The compiler reads the table: what is left of it at run time is
// a comparison with each policy that has.
template <auto trait, auto value>
constexpr bool has(Policy policy) {
    return is_one_with<trait, value>(policy, std::make_integer_sequence<unsigned, policy_count>{});
}

}  // namespace policy_detail

// Host events stand behind the guest's counters; the hardware never holds its registers.
constexpr bool is_backed_by_host(Policy policy) {
    return policy_detail::has<&PolicyTraits::residence, Residence::never>(policy);
}
// Registers move only when somebody else needs the hardware.
constexpr bool is_lazy(Policy policy) {
    return policy_detail::has<&PolicyTraits::residence, Residence::until_needed>(policy);
}
// The guest has no PMU registers at all, but logical counters.
constexpr bool is_logical(Policy policy) {
    return policy_detail::has<&PolicyTraits::reach, Reach::by_hypercall>(policy);
}
constexpr bool lends_registers(Policy policy) {
    return policy_detail::has<&PolicyTraits::reach, Reach::by_registers>(policy);
}
constexpr bool counts_vmm(Policy policy) {
    return policy_detail::has<&PolicyTraits::counts_vmm, true>(policy);
}
constexpr bool host_sees_guest(Policy policy) {
    return policy_detail::has<&PolicyTraits::host_sees_guest, true>(policy);
}
constexpr bool host_sees_totals(Policy policy) {
    return policy_detail::has<&PolicyTraits::host_sees_totals, true>(policy);
}

constexpr Residence residence_of(Policy policy, const PmuModel& host) {
    return host.is_arm() ? traits_of(policy).residence_on_arm : traits_of(policy).residence;
}

}  // namespace ringside::vpmu
