// `ringside measure`: a command is executed several times, counted and sampled at once, into a
// folder (run/folder.h): one side of a comparison.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <ringside/result.h>

#include "measure/engine.h"
#include "measure/plan.h"
#include "run/run.h"

namespace ringside::measure {

using ProgressFn = std::function<void(const std::string&)>;

struct SideLabel {
    std::string name;
    run::SideKind kind = run::SideKind::native;
};

// What measures a run whose files go into `folder`.
using MakeCollectors = std::function<Result<Collectors>(const std::filesystem::path& folder)>;

// The folder must not exist, or be empty. The exit code is the command's: that of the first run
// that failed. A run that a signal ended is the last. What was finished stays in the folder.
Outcome measure_side(const std::string& folder, const SideLabel& label, const Plan& plan,
                     const ProgressFn& say);
// The same with other collectors than the plan wants.
Outcome measure_side(const std::string& folder, const SideLabel& label, const Plan& plan,
                     const ProgressFn& say, const MakeCollectors& collectors);

}  // namespace ringside::measure
