// Keeps the PMU's interrupt raised forever, and answers it each time without lowering it.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    pmu_handler = [] {};
    enable_interrupt(hyp::platform::pmu_interrupt);
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    HYP_WRITE(pmintenset_el1, 1);
    HYP_WRITE(pmovsset_el0, 1);
    set_interrupts(true);
    for (;;) (void)spin(1000);
}

}  // namespace ringside::guest_test
