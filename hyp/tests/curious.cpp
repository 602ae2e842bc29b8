// Looks into every PMU register, at every turn, for anything another guest left there. It never
// programs the PMU itself, so every register must read as after a reset.
#include "support/support.h"

namespace ringside::guest_test {

namespace {

constexpr unsigned turns = 200;
std::uint64_t leaks;

void look(const char* name, std::uint64_t value) {
    if (value == 0) return;
    ++leaks;
    print_line("leak ", name, " ", Hex{value});
}

void look_at_everything() {
    const auto counters = static_cast<unsigned>(counter_count());
    for (unsigned i = 0; i < counters; ++i) {
        look("counter", hyp::read_event_counter(i));
        look("type", hyp::read_event_type(i));
    }
    look("pmccntr", HYP_READ(pmccntr_el0));
    look("pmccfiltr", HYP_READ(pmccfiltr_el0));
    look("pmcr", HYP_READ(pmcr_el0) & 0x3f);
    look("pmcntenset", HYP_READ(pmcntenset_el0));
    look("pmintenset", HYP_READ(pmintenset_el1));
    look("pmovsset", HYP_READ(pmovsset_el0));
    look("pmselr", HYP_READ(pmselr_el0));
    look("pmuserenr", HYP_READ(pmuserenr_el0));
}

}  // namespace

extern "C" void guest_main() {
    for (unsigned turn = 0; turn < turns; ++turn) {
        look_at_everything();
        (void)hypercall(HYPERCALL_YIELD);
    }
    print_line("leaks ", leaks);
}

}  // namespace ringside::guest_test
