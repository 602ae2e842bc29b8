// The host's own idea of the time, where the hypervisor lends it to the guest as a PTP clock
// (ptp_kvm, ptp_vmw; linux/ptp_clock.h).
#pragma once

#include <cstdint>
#include <string>

#include <ringside/result.h>

namespace ringside::clocks {

struct HostTime {
    std::int64_t guest_ahead_ns = 0;  // the guest's CLOCK_REALTIME minus the host's
    std::int64_t error_ns = 0;        // half the time that the tightest comparison took
};

// `device` is a path such as "/dev/ptp0". Needs permission to read it.
Result<HostTime> read_host_time(const std::string& device);

}  // namespace ringside::clocks
