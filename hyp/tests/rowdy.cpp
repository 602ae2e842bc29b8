// A bad neighbour: programs every counter, makes them wrap constantly, and never ends.
#include "support/support.h"

namespace ringside::guest_test {

extern "C" void guest_main() {
    enable_interrupt(hyp::platform::pmu_interrupt);
    set_interrupts(true);
    const auto counters = static_cast<unsigned>(counter_count());
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    HYP_WRITE(pmintenset_el1, 0xffff'ffff);
    HYP_WRITE(pmcntenset_el0, 0xffff'ffff);
    HYP_WRITE(pmuserenr_el0, 0xf);
    for (;;) {
        for (unsigned i = 0; i < counters; ++i) {
            hyp::write_event_type(i, i % 2 == 0 ? arm::event_instructions : arm::event_cycles);
            hyp::write_event_counter(i, 0xffff'ff00 + i);
        }
        HYP_WRITE(pmccntr_el0, ~std::uint64_t{0} - 100);
        spin(500);
    }
}

}  // namespace ringside::guest_test
