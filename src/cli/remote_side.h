// A side of a comparison that is reached by ssh, and the waiting for programs that may be told to
// end.
#pragma once

#include <string>

#include "base/process.h"
#include "cli/compare_sides.h"

namespace ringside::cli {

// Until it ends. A signal that would have ended us is handed on to it, and the error is
// `interrupted`.
Result<base::ExitStatus> await_child(base::Child& child, const StopSignals& stop);

// Run by run, each brought here at once: if the connection breaks, the finished ones are kept.
Outcome measure_by_ssh(const SideTarget& target, const std::string& folder, const MeasurePlan& plan,
                       const StopSignals& stop, const Say& say);

}  // namespace ringside::cli
