// The sides that `ringside compare -- CMD` measures itself: this machine, a guest, machines that
// are reached by ssh. On each the same `ringside measure` runs, and its folder is brought here.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "cli/embedded_guest.h"
#include "cli/measurer.h"
#include "cli/stop_signals.h"

namespace ringside::cli {

struct SideTarget {
    enum class Where { native, guest, box, ssh };

    std::string name;
    Where where = Where::native;
    std::string place;   // the kind of the box, or USER@HOST
    bool inner = false;  // of a box: in the guest inside of it

    // "native", "guest", "ssh:USER@HOST", "box:KIND" or "box:KIND/inner".
    static Result<SideTarget> parse(std::string name, const std::string& text);
};

// Each argument in quotes, for the shell that ssh starts at the other end.
std::string quoted_for_shell(const std::vector<std::string>& words);

// Measures into `folder`, which must not exist. What was finished is there even if this fails.
Outcome measure_side(const SideTarget& target, const std::string& folder, const MeasurePlan& plan,
                     const GuestWish& wish, const StopSignals& stop, const Say& say);

}  // namespace ringside::cli
