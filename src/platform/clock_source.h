// What keeps time here, and what the hypervisor says about time: the readable half. Frequencies are
// advertised ones; src/clocks measures them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/fact.h"
#include "platform/hypervisor.h"

namespace ringside::platform {

// A clock of the host that this guest may read.
struct PtpClock {
    std::string device;  // "ptp0"
    std::string name;    // "KVM virtual PTP"
    bool of_host = false;
};

struct ClockSource {
    Fact<std::string> current;
    std::vector<std::string> available;
    Fact<bool> tsc_invariant;
    Fact<bool> pvclock;              // a paravirtual clock is offered
    Fact<std::uint64_t> counter_hz;  // TSC as CPUID advertises it
    Fact<std::uint64_t> cpu_hz;      // as /proc/cpuinfo or cpufreq says
    std::vector<PtpClock> ptp;
    // Whether the hypervisor reports stolen time. A nonzero steal column proves it.
    Fact<bool> steal_reported;
};

ClockSource read_clock_source(const base::SysRoot& root, const Cpuid& cpuid, const CpuModel& cpu,
                              const Hypervisor& hypervisor);

}  // namespace ringside::platform
