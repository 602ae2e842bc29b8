// A profile of a whole machine as a recording: every sample with the guest's task and code, under
// two accountings, in a perf.data file that says that they are soft.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "record/recorder.h"
#include "soft/guest_profile.h"

namespace ringside::record {

// What only the guest executed, and that with what its VMM did for it: the time of each access to a
// device, as instructions, at the guest's instruction that made it.
constexpr const char* cpu_switch_event = "soft:instructions";
constexpr const char* domain_switch_event = "soft:instructions-domain";

struct GuestRecording {
    std::string file;                       // to be written
    std::string architecture;               // of the guest, as uname calls it
    std::uint64_t period = 0;               // instructions from sample to sample
    double instructions_per_ns = 0;         // what a device's time is worth
    std::string domain_unit;                // what the domain's event counts, for people
    std::vector<std::string> notes;         // for the file
    std::vector<std::string> command_line;  // ours, likewise
    std::string version;
    // Where a file of the guest lies here; empty: nowhere.
    std::function<std::string(const std::string&)> file_here = [](const std::string&) {
        return std::string();
    };
};

// `guest` has what the guest says of itself, in the shape of its own /proc and /sys.
Result<Summary> write_guest_recording(const base::SysRoot& guest, const GuestRecording& recording,
                                      soft::GuestProfile profile);

}  // namespace ringside::record
