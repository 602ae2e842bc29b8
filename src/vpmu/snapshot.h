// A vCPU's PMU on its way to another host, or into a file. A snapshot is input: it is checked
// before a bit of it is used, and refused whole, with a reason.
#pragma once

#include "vpmu/vm.h"

namespace ringside::vpmu {

struct Snapshot {
    static constexpr std::uint32_t current_version = 1;

    std::uint32_t version = current_version;
    PmuModel model;
    PmuState state;
    bool interrupt_pending = false;
    Logical logical;
};

enum class Refusal : std::uint8_t {
    none,
    malformed,           // not something save() could have written
    other_machine,       // the virtual machine it is restored into promises another PMU
    other_architecture,  // the host's PMU is of another kind
    fewer_counters,      // the host cannot keep what the guest was promised
    narrower_counters,
    missing_events,  // Arm: the guest was told of events this host does not have
};
const char* to_text(Refusal refusal);

// Whether a machine with this PMU can run here under this policy. Legacy needs only the same
// architecture: what finds no counter is starved, and says so.
Refusal can_host(const Vm& vm, const PmuModel& host);

// Only after Cpu::release(): nothing of the vCPU may be in hardware.
Snapshot save(const Vcpu& vcpu);
Refusal restore(Vcpu& vcpu, const Snapshot& snapshot, const PmuModel& host);

}  // namespace ringside::vpmu
