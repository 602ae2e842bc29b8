// How many instructions a thread executes on this machine itself, where it has a PMU that says so.
#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/soft_profile.h"

namespace ringside::softpmu {

class HostRate {
  public:
    // Of the calling thread, from now on.
    void begin() {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
        attributes.exclude_kernel = attributes.exclude_hv = 1;
        fd_ = static_cast<int>(
            ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    }
    void show(soft_host_rate& rate) const {
        struct {
            std::uint64_t value;
            std::uint64_t running_ns;
        } now{};
        if (fd_ < 0 || ::read(fd_, &now, sizeof now) != sizeof now) return;
        rate = {now.value, now.running_ns};
    }

  private:
    int fd_ = -1;
};

}  // namespace ringside::softpmu
