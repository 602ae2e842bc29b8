// The soft PMU of a box: the plugin in its QEMU, and the device by which its Linux sees the
// counters.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "guest/files.h"
#include "guest/kinds.h"
#include "guest/rights.h"

namespace ringside::guest {

struct SoftPmu {
    base::Fd device;  // the two ends of what the plugin tells the device at start
    base::Fd plugin;
    std::vector<std::string> arguments;  // of QEMU, which must inherit both
};

// A profile of the whole machine. It is booted with nothing counted, and before its command runs it
// says what its kernel is like.
struct ProfileWish {
    std::string folder;        // where the plugin keeps its counts; must exist
    std::uint64_t period = 0;  // instructions from sample to sample
    // Where what the guest says of its kernel lands, "proc/kallsyms" and the like; made then.
    std::string kernel_folder;
    // Called, from the thread that runs the box, when that has landed, with why not all of it has.
    // The command begins when it returns.
    std::function<void(const std::string& why_not)> begins;
};

struct SoftPmuWish {
    std::string plugin;                // the plugin's file
    std::vector<std::string> options;  // of the plugin, besides: "memory=on"
    std::string counts;                // a file for what was counted, seen from outside, or empty
    std::optional<ProfileWish> profile;
};

// What is counted goes into a file in `directory`/soft, which is made. With a profile the guest
// itself sees nothing of it. QEMU is lent what it needs.
Result<SoftPmu> plan_soft_pmu(const SoftPmuWish& wish, const Kind& kind, const fs::path& directory,
                              Rights& rights);

// After the machine has ended, however it did: its counts into the file that was asked for.
Result<void> keep_counts(const SoftPmuWish& wish, const fs::path& directory);

}  // namespace ringside::guest
