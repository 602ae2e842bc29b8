// What the verbs that run a command under the soft PMU have in common.
#pragma once

#include <string>

#include "base/scratch_dir.h"
#include "cli/run_command.h"
#include "soft/launch.h"

namespace ringside::cli {

// A folder for the soft PMU's counts of one run. Programs that change their user count, too.
Result<base::ScratchDir> make_soft_folder();
// The plugin as built or installed.
Result<std::string> find_soft_plugin();

// As run_command() runs what is not emulated, exit codes included.
Outcome run_launch(const Result<soft::Launch>& launch, const OutputChoice& output,
                   CommandHooks hooks);

}  // namespace ringside::cli
