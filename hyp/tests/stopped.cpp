// Stops the PMU just when a counter overflows, sooner or later in what that costs the hypervisor: a
// PMU that is off interrupts nobody, and one that is on again does.
#include "support/support.h"

namespace ringside::guest_test {

namespace {

void stop_before_the_overflow_after(std::uint64_t events) {
    stop_pmu();
    hyp::write_event_counter(0, 0x1'0000'0000 - events);
    hyp::write_event_type(0, arm::event_instructions);
    HYP_WRITE(pmcntenset_el0, 1);
    HYP_WRITE(pmintenset_el1, 1);
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    HYP_WRITE(pmcr_el0, 0);
}

}  // namespace

extern "C" void guest_main() {
    enable_interrupt(hyp::platform::pmu_interrupt);
    std::uint64_t overflows = 0;
    std::uint64_t told_when_on = 0;
    for (std::uint64_t events = 1; events < 4000; events += 40) {
        set_interrupts(false);
        stop_before_the_overflow_after(events);
        const bool overflowed = (HYP_READ(pmovsset_el0) & 1) != 0;
        if (!overflowed) continue;
        ++overflows;
        const std::uint64_t before = interrupts[hyp::platform::pmu_interrupt];
        set_interrupts(true);
        HYP_WRITE(pmcr_el0, arm::pmcr_enable);
        hyp::instruction_barrier();
        spin(100);
        if (interrupts[hyp::platform::pmu_interrupt] != before) ++told_when_on;
    }
    stop_pmu();
    print_line(overflows > 10 ? "many" : "few", " overflows, not told ", overflows - told_when_on);
}

}  // namespace ringside::guest_test
