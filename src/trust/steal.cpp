#include "trust/steal.h"

namespace ringside::trust {

StealReport examine_steal(const platform::Machine& machine) {
    StealReport report;
    report.supported = machine.clock.steal_reported.value;
    report.supported_reason = machine.clock.steal_reported.evidence.source + ": " +
                              machine.clock.steal_reported.evidence.text;
    report.per_thread_reason = "not examined";
    return report;
}

}  // namespace ringside::trust
