// Where machine-readable output goes: one rule for every verb. -o FILE is written whole or not at
// all; without -o it goes to stdout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "cli/options.h"
#include "measure/command.h"

namespace ringside::cli {

struct OutputChoice {
    bool json = false;
    bool csv = false;
    std::string file;

    // Machine output shares stdout with nothing: a command that is run then writes to stderr.
    bool takes_stdout() const { return (json || csv) && file.empty(); }
};

using measure::CommandHooks;

// The command's output goes to stderr when `output` needs our stdout.
CommandHooks hooks_beside(const OutputChoice& output);
// measure::run_command() so.
measure::Outcome run_command(const std::vector<std::string>& argv, const OutputChoice& output,
                             CommandHooks hooks);

void declare_output(Options& options, OutputChoice& choice, bool with_csv);

// Fails, and leaves an old file as it was, if the text cannot be written whole. What is not JSON or
// CSV is for people, and goes the way of print_text().
Result<void> deliver(const OutputChoice& choice, std::string_view text);
// What is in another format for programs, byte by byte.
Result<void> deliver_bytes(const OutputChoice& choice, std::string_view bytes);

}  // namespace ringside::cli
