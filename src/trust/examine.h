// The whole examination behind `ringside doctor`.
#pragma once

#include <chrono>

#include "base/sys_root.h"
#include "trust/report.h"

namespace ringside::trust {

struct ExamineOptions {
    // How long counters are watched for being taken away; one CPU is busy for that time.
    std::chrono::milliseconds watch{300};
    // Holds the page that the hypervisor shares; empty looks for a device.
    std::string page_file{};
};

// Provokes one event on the calling thread, for some milliseconds, and says what came of it.
Verdict examine_event(const platform::Machine& machine, const model::Event& event);

// Never fails: what cannot be looked at is said in the report. Measures the live machine, on the
// calling thread; leaves no event, machine or process behind.
Report examine(const base::SysRoot& root = {}, const ExamineOptions& options = {});

}  // namespace ringside::trust
