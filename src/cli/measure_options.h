// The options of every verb that measures: whom, and what on a side of a comparison.
#pragma once

#include "cli/options.h"
#include "measure/plan.h"
#include "measure/targets.h"
#include "places/embedded_guest.h"

namespace ringside::cli {

// -p, -t, -a, -C, --cgroup.
void declare_targets(Options& options, measure::TargetWords& words);
// --per-thread, --per-cpu.
void declare_breakdown(Options& options, measure::TargetWords& words);

// All but the command.
void declare_plan(Options& options, measure::Plan& plan);

// --share and --share-env.
void declare_sharing(Options& options, places::GuestOptions& guest);

}  // namespace ringside::cli
