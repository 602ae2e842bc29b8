// Counts a loop whose length is known, again and again, and says what it counted. The time between
// two trapped accesses is longer than a slice, so that neighbours run in the middle.
#include "abi/vpmu_page.h"
#include "support/support.h"

namespace ringside::guest_test {

namespace {

constexpr unsigned rounds = 20;
constexpr std::uint64_t turns = 100'000;

// The hypervisor says here which counters the guest wrongly believes to run.
alignas(64) volatile vpmu_page_vcpu page;
bool starved;

std::uint64_t counted_spin(std::uint64_t n) {
    stop_pmu();
    hyp::write_event_counter(0, 0);
    hyp::write_event_type(0, arm::event_instructions);
    HYP_WRITE(pmcntenset_el0, 1);
    HYP_WRITE(pmcr_el0, arm::pmcr_enable);
    hyp::instruction_barrier();
    spin(n);
    starved = page.starved != 0;
    HYP_WRITE(pmcr_el0, 0);
    return hyp::read_event_counter(0);
}

}  // namespace

extern "C" void guest_main() {
    (void)hypercall(HYPERCALL_PMU_PAGE, reinterpret_cast<std::uint64_t>(&page));
    for (unsigned round = 0; round < rounds; ++round) {
        const std::uint64_t counted = counted_spin(turns);
        print_line("counted ", counted, starved ? " starved" : "");
    }
}

}  // namespace ringside::guest_test
