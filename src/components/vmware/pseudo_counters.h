// VMware's pseudo performance counters: three times that the hypervisor gives in answer to rdpmc
// ("Timekeeping in VMware Virtual Machines"). Where the host did not switch them on
// (monitor_control.pseudo_perfctr) the instruction faults.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <ringside/result.h>

namespace ringside::components::vmware {

struct PseudoCounter {
    std::string_view name;
    std::uint32_t index;  // for rdpmc
    std::string_view unit;
    std::string_view description;
};
constexpr std::array<PseudoCounter, 3> pseudo_counters{{
    {"HOST_TSC", 0x10000, "cycles", "the host's time stamp counter"},
    {"ELAPSED_TIME", 0x10001, "ns", "elapsed real time as the host measures it"},
    {"ELAPSED_APPARENT", 0x10002, "ns", "elapsed apparent time, the guest's own"},
}};

// Faults where the probe fails.
std::uint64_t read_pseudo_counter(std::uint32_t index);

// Reads all three in a child process; fails if one faulted there.
Result<void> probe_pseudo_counters();

}  // namespace ringside::components::vmware
