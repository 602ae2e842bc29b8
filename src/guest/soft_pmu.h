// The soft PMU of a box: the plugin in its QEMU, and the device by which its Linux sees the
// counters.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "guest/files.h"

namespace ringside::guest {

struct SoftPmu {
    base::Fd device;  // the two ends of what the plugin tells the device at start
    base::Fd plugin;
    std::vector<std::string> arguments;  // of QEMU, which must inherit both
};

struct SoftPmuWish {
    std::string plugin;                // the plugin's file
    std::vector<std::string> options;  // of the plugin, besides: "memory=on"
    std::string counts;                // a file for what was counted, seen from outside, or empty
};

// What is counted goes into a file below `folder`, which is made.
Result<SoftPmu> plan_soft_pmu(const SoftPmuWish& wish, int vcpus, const fs::path& folder);

// After the machine has ended, however it did: its counts into the file that was asked for.
Result<void> keep_counts(const SoftPmuWish& wish, const fs::path& folder);

}  // namespace ringside::guest
