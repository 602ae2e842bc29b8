// The ways to share a PMU, as one table: who owns the counters when, and what that lets each side
// see. docs/vpmu.md draws it.
#pragma once

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
inline constexpr unsigned policy_count = 7;

// How long a vCPU's values stay in the hardware's counters.
enum class Residence : std::uint8_t {
    never,            // host events count for it
    while_in_guest,   // from entry to exit
    until_slow_exit,  // fast exits in between do not count
    while_scheduled,  // from vCPU switch to vCPU switch
    until_needed,     // until the host or another vCPU wants them
};

struct PolicyTraits {
    const char* name;
    Residence residence;
    bool counts_vmm;        // work of the VMM on the guest's behalf is counted
    bool host_sees_guest;   // host events may count while the guest runs
    bool host_sees_totals;  // the host may read totals of a consenting machine
    bool traps_every_access;
};

inline constexpr PolicyTraits policies[policy_count] = {
    {"legacy", Residence::never, false, true, false, true},
    {"cpu_switch", Residence::while_in_guest, false, false, false, false},
    {"domain_switch", Residence::while_scheduled, true, false, false, false},
    {"mediated", Residence::until_slow_exit, false, false, false, false},
    {"lazy_mediated", Residence::until_needed, false, false, false, false},
    {"shared_view", Residence::until_slow_exit, false, false, true, false},
    {"paravirtual", Residence::while_scheduled, false, false, false, false},
};

constexpr const PolicyTraits& traits_of(Policy policy) {
    return policies[static_cast<unsigned>(policy)];
}

// Arm's hardware stops counting at EL2 by itself (NSH = 0, MDCR_EL2.HPMD), so that a CPU switch
// there moves registers only when another vCPU runs.
constexpr Residence residence_of(Policy policy, const PmuModel& host) {
    if (policy == Policy::cpu_switch && host.is_arm()) return Residence::while_scheduled;
    return traits_of(policy).residence;
}

}  // namespace ringside::vpmu
