// A run under the soft PMU as a recording: its samples, with the programs and mappings they lie in,
// in a perf.data file that says that they are soft.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "record/recorder.h"

namespace ringside::record {

struct SoftRecording {
    std::string folder;  // of the run
    std::string file;    // to be written
    std::string event;   // "soft:instructions"
    std::uint64_t period = 0;
    std::uint64_t elapsed_ns = 0;
    std::vector<std::string> notes;
    std::vector<std::string> command_line;  // ours, for the file
    std::string version;                    // likewise
};

Result<Summary> write_soft_recording(const base::SysRoot& root, const SoftRecording& recording);

}  // namespace ringside::record
