// Times for tests of views: of a command, and of a machine.
#pragma once

#include <ringside/time_budget.h>

#include "accounting/machine_time.h"

namespace ringside::times {

// 1 s of two threads; what waited is not known.
inline TimeSplit split() {
    TimeSplit split;
    split.method = BudgetMethod::kernel_sums;
    split.clock.real_ns = 1'000'000'000;
    split.clock.cpu_ns = 900'000'000;
    split.clock.steal = {50'000'000, 1'000'000, StealMethod::cpu_share, "an estimate"};
    split.lifetime_ns = 2'000'000'000;
    split.threads = 2;
    split.user = {700'000'000, 0, "schedstat", ""};
    split.kernel = {150'000'000, 10'000'000, "schedstat", ""};
    split.stolen = {50'000'000, 1'000'000, "steal", "an estimate"};
    split.waiting.reason = "schedstat is off";
    split.blocked = {100'000'000, 0, "taskstats", ""};
    split.sleeping = {800'000'000, 0, "taskstats", ""};
    split.unexplained_ns = -5'000'000;
    split.error_ns = 11'000'000;
    split.unexplained_reason = "waiting is not known";
    split.details.minor_faults = 12;
    split.details.swapin = {7'000, 0, "taskstats", ""};
    return split;
}

inline accounting::MachineTime machine() {
    accounting::MachineTime time;
    time.wall_ns = 2'000'000'000;
    time.cpus = 2;
    time.step_ns = 10'000'000;
    time.user_ns = 1'000'000'000;
    time.kernel_ns = 500'000'000;
    time.stolen_ns = 40'000'000;
    time.idle_ns = 2'400'000'000;
    time.source = "/proc/stat";
    return time;
}

}  // namespace ringside::times
