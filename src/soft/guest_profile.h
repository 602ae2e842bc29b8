// A profile of a whole machine as it was read (abi/soft_profile.h), and what follows from it:
// what devices cost, and what their time is worth in instructions. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/soft_profile.h"
#include "soft/count_file.h"

namespace ringside::soft {

// Accesses to a device, or those from one function.
struct DeviceCost {
    std::string device;
    std::string function;  // empty: of all
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t timed = 0;    // of these; of the rest only that they were is known
    std::uint64_t off_cpu = 0;  // of the rest: QEMU was kept from working
    std::uint64_t total_ns = 0;
    std::uint64_t median_ns = 0;

    std::uint64_t count() const { return reads + writes; }
};

// Most time first. `function_of` names the function an address lies in; without it, by device only.
using NameOf = std::function<std::string(std::uint64_t)>;
std::vector<DeviceCost> device_costs(const GuestProfile& profile,
                                     const std::vector<CountFile::Device>& devices,
                                     const NameOf& function_of = nullptr);

// What lies at a page that QEMU has no name for, "0xfed00000", by the guest's /proc/iomem: its last
// and so most exact line. Other names, and pages that nobody knows, stay as they are.
std::string device_name(const std::string& name, std::string_view iomem);

// How many instructions a nanosecond of QEMU's is worth.
struct HostRate {
    double per_ns = 0;
    bool measured = false;  // by the PMU of the machine that ran QEMU; else it is assumed
};
// `clock_ghz` of that machine: where nothing was measured, one instruction for each of its ticks.
HostRate host_rate(const soft_profile& profile, double clock_ghz);

// Why samples have no process; empty if they have.
std::string why_no_tasks(const soft_profile& profile);

}  // namespace ringside::soft
