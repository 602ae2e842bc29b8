// `ringside record --soft`: samples a command that runs under QEMU, with the soft PMU in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/verb.h"

namespace ringside::cli {

struct SoftRecordRequest {
    std::vector<std::string> command;
    std::string file;
    std::string event = "instructions";
    std::uint64_t period = 0;  // 0: what is usual for it
    OutputChoice output;
    std::vector<std::string> command_line;
    std::string version;
};

Outcome record_soft(const SoftRecordRequest& request);

}  // namespace ringside::cli
