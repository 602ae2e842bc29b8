// A conformance suite for PMUv3: run on the bare machine at EL1 and as a guest, its lines are
// compared. "ok" is what the architecture demands; "absent" and "lost" are what a machine may lack.
#include "support/support.h"

namespace ringside::guest_test {

namespace {

constexpr std::uint64_t all = 0xffff'ffff;
constexpr std::uint64_t low_half = 0xffff'ffff;
constexpr std::uint64_t long_control = arm::pmcr_enable | arm::pmcr_long_cycle;

void report(const char* name, bool good) {
    print_line("test ", name, good ? " ok" : " FAILED");
}

// Everything off, counter `slot` set up and switched on; start() lets it run.
void prepare(unsigned slot, std::uint64_t selector, std::uint64_t value) {
    if (slot == cycle_counter) {
        HYP_WRITE(pmccfiltr_el0, selector);
        HYP_WRITE(pmccntr_el0, value);
    } else {
        hyp::write_event_type(slot, selector);
        hyp::write_event_counter(slot, value);
    }
    HYP_WRITE(pmcntenset_el0, 1u << slot);
}
void start(std::uint64_t control = long_control) {
    HYP_WRITE(pmcr_el0, control);
    hyp::instruction_barrier();
}
void stop() {
    HYP_WRITE(pmcr_el0, 0);
    hyp::instruction_barrier();
}

std::uint64_t instructions_of_spin(std::uint64_t n, std::uint64_t filter) {
    stop_pmu();
    prepare(0, arm::event_instructions | filter, 0);
    start();
    spin(n);
    stop();
    return hyp::read_event_counter(0);
}

bool has_event(unsigned event) {
    const std::uint64_t ids = event < 32 ? HYP_READ(pmceid0_el0) : HYP_READ(pmceid1_el0);
    return (ids >> event % 32 & 1) != 0;
}

void test_introspection() {
    const std::uint64_t count = counter_count();
    report("introspection", count >= 1 && count < 31 && has_event(arm::event_software_increment) &&
                                has_event(arm::event_instructions) && has_event(arm::event_cycles));
}

// Who made the PMU does not depend on whether it counts.
void test_identity() {
    constexpr std::uint64_t read_only = 0xffff'ff00;
    stop_pmu();
    const std::uint64_t idle = HYP_READ(pmcr_el0) & read_only;
    prepare(0, arm::event_instructions, 0);
    start();
    spin(100);
    const std::uint64_t counting = HYP_READ(pmcr_el0) & read_only;
    stop();
    report("identity", idle == counting && idle >> arm::pmcr_identity_shift != 0);
}

void test_configuration() {
    stop_pmu();
    const std::uint64_t selector = arm::type_not_user | arm::event_instructions;
    hyp::write_event_type(0, selector);
    hyp::write_event_counter(0, 0x12345678);
    bool good = hyp::read_event_type(0) == selector && hyp::read_event_counter(0) == 0x12345678;
    HYP_WRITE(pmselr_el0, 1);
    hyp::instruction_barrier();
    HYP_WRITE(pmxevcntr_el0, 0x55);
    HYP_WRITE(pmxevtyper_el0, arm::event_cycles);
    good = good && hyp::read_event_counter(1) == 0x55 && hyp::read_event_type(1) == 0x11;
    HYP_WRITE(pmselr_el0, 31);
    hyp::instruction_barrier();
    HYP_WRITE(pmxevtyper_el0, arm::type_not_kernel);
    good = good && HYP_READ(pmccfiltr_el0) == arm::type_not_kernel;
    HYP_WRITE(pmccfiltr_el0, 0);
    report("configuration", good);
}

void test_set_and_clear() {
    stop_pmu();
    const std::uint64_t there = ((std::uint64_t{1} << counter_count()) - 1) | 1u << cycle_counter;
    HYP_WRITE(pmcntenset_el0, all);
    HYP_WRITE(pmintenset_el1, all);
    HYP_WRITE(pmovsset_el0, all);
    bool good = HYP_READ(pmcntenclr_el0) == there && HYP_READ(pmintenclr_el1) == there &&
                HYP_READ(pmovsclr_el0) == there;
    HYP_WRITE(pmcntenclr_el0, 1);
    HYP_WRITE(pmintenclr_el1, 2);
    HYP_WRITE(pmovsclr_el0, 4);
    good = good && HYP_READ(pmcntenset_el0) == (there & ~1ul) &&
           HYP_READ(pmintenset_el1) == (there & ~2ul) && HYP_READ(pmovsset_el0) == (there & ~4ul);
    stop_pmu();
    report("set_and_clear", good);
}

void test_unimplemented() {
    const std::uint64_t before = exceptions.count;
    const auto first = static_cast<unsigned>(counter_count());
    for (unsigned i = first; i < 31; ++i) {
        (void)hyp::read_event_counter(i);
        hyp::write_event_type(i, 0);
    }
    const bool unknown = exceptions.syndrome >> 26 == 0;
    report("unimplemented", exceptions.count - before == 2 * (31 - first) && unknown);
}

void test_cycles() {
    stop_pmu();
    prepare(cycle_counter, 0, 0);
    start();
    spin(1000);
    stop();
    const std::uint64_t counted = HYP_READ(pmccntr_el0);
    spin(1000);
    report("cycles", counted > 0 && HYP_READ(pmccntr_el0) == counted);
}

void test_instructions() {
    const std::uint64_t few = instructions_of_spin(100, 0);
    const std::uint64_t many = instructions_of_spin(1100, 0);
    report("instructions", many - few == 2000 && few >= spin_instructions(100));
    print_line("value instructions ", few);
}

void test_global_disable() {
    stop_pmu();
    prepare(0, arm::event_instructions, 0);
    spin(100);
    report("global_disable", hyp::read_event_counter(0) == 0);
}

void test_filters() {
    report("without_kernel", instructions_of_spin(100, arm::type_not_kernel) == 0);
    const std::uint64_t with_user = instructions_of_spin(100, 0);
    report("without_user", instructions_of_spin(100, arm::type_not_user) == with_user);
}

std::uint64_t spin_few() {
    return spin(100);
}
std::uint64_t spin_many() {
    return spin(1100);
}
std::uint64_t user_instructions(std::uint64_t (*function)()) {
    stop_pmu();
    prepare(0, arm::event_instructions | arm::type_not_kernel, 0);
    start();
    (void)run_as_user(function);
    stop();
    return hyp::read_event_counter(0);
}

void test_user_mode() {
    const std::uint64_t few = user_instructions(spin_few);
    report("user_mode", user_instructions(spin_many) - few == 2000 && few > 200);
}

std::uint64_t read_cycles() {
    return HYP_READ(pmccntr_el0);
}
std::uint64_t write_cycles() {
    HYP_WRITE(pmccntr_el0, 0);
    return 0;
}
std::uint64_t write_user_enable() {
    HYP_WRITE(pmuserenr_el0, 0xf);
    return 0;
}

// EL0 may do what PMUSERENR_EL0 says; everything else traps to EL1.
void test_user_access() {
    constexpr std::uint64_t called = 0x15;
    constexpr std::uint64_t trapped = 0x18;
    const auto ends_with = [](std::uint64_t allowed, std::uint64_t (*function)()) {
        HYP_WRITE(pmuserenr_el0, allowed);
        return run_as_user(function) >> 26;
    };
    stop_pmu();
    HYP_WRITE(pmccntr_el0, 77);
    bool good = ends_with(0, read_cycles) == trapped;
    good = good && ends_with(arm::user_cycles, read_cycles) == called && user_result == 77;
    good = good && ends_with(arm::user_cycles, write_cycles) == trapped;
    good = good && ends_with(arm::user_enable, write_cycles) == called;
    good = good && HYP_READ(pmccntr_el0) == 0;
    good = good && ends_with(0xf, write_user_enable) != called;
    HYP_WRITE(pmuserenr_el0, 0);
    report("user_access", good);
}

void test_software_increment() {
    stop_pmu();
    prepare(0, arm::event_software_increment, 0);
    for (int i = 0; i < 10; ++i) HYP_WRITE(pmswinc_el0, 1);
    bool good = hyp::read_event_counter(0) == 0;
    start();
    for (int i = 0; i < 100; ++i) HYP_WRITE(pmswinc_el0, 1);
    HYP_WRITE(pmswinc_el0, 2);
    stop();
    good = good && hyp::read_event_counter(0) == 100;
    report("software_increment", good);
}

void test_reset() {
    stop_pmu();
    hyp::write_event_counter(0, 5);
    HYP_WRITE(pmccntr_el0, 6);
    HYP_WRITE(pmcr_el0, arm::pmcr_reset_events);
    bool good = hyp::read_event_counter(0) == 0 && HYP_READ(pmccntr_el0) == 6;
    HYP_WRITE(pmcr_el0, arm::pmcr_reset_cycles);
    good = good && HYP_READ(pmccntr_el0) == 0;
    report("reset", good);
}

void test_overflow_bit() {
    stop_pmu();
    prepare(0, arm::event_software_increment, 0xffff'ffff);
    start();
    HYP_WRITE(pmswinc_el0, 1);
    stop();
    const bool wrapped = (hyp::read_event_counter(0) & low_half) == 0;
    report("overflow_bit", HYP_READ(pmovsset_el0) == 1 && wrapped);
}

void test_short_cycles() {
    stop_pmu();
    prepare(cycle_counter, 0, 0xffff'ff00);
    start(arm::pmcr_enable);
    spin(1000);
    stop();
    report("short_cycles", HYP_READ(pmovsset_el0) == 1u << cycle_counter);
}

// FEAT_PMUv3p5: with PMCR.LP an overflow is a carry out of 64 bits.
void test_long_events() {
    if ((HYP_READ(id_aa64dfr0_el1) >> 8 & 0xf) < 6) return print_line("test long_events absent");
    stop_pmu();
    prepare(0, arm::event_software_increment, 0xffff'ffff);
    prepare(1, arm::event_software_increment, ~std::uint64_t{0});
    start(long_control | arm::pmcr_long_events);
    HYP_WRITE(pmswinc_el0, 3);
    stop();
    report("long_events", HYP_READ(pmovsset_el0) == 2 &&
                              hyp::read_event_counter(0) == 0x1'0000'0000 &&
                              hyp::read_event_counter(1) == 0);
}

void arm_interrupt(unsigned slot) {
    watched = slot;
    interrupts[hyp::platform::pmu_interrupt] = 0;
    HYP_WRITE(pmintenset_el1, 1u << slot);
}

std::uint64_t pmu_interrupts() {
    return interrupts[hyp::platform::pmu_interrupt];
}

void test_software_interrupt() {
    stop_pmu();
    prepare(0, arm::event_software_increment, 0xffff'ffff);
    arm_interrupt(0);
    start();
    HYP_WRITE(pmswinc_el0, 1);
    spin(100);
    const std::uint64_t came = pmu_interrupts();
    stop();
    report("software_interrupt", came == 1 && overflow_seen == 1);
}

// A counter that overflows in the middle of a loop without any access to the PMU. A machine may
// lose the interrupt until the next access; that it stays away altogether would be wrong.
void test_interrupt(const char* name, unsigned slot, std::uint64_t selector, std::uint64_t value) {
    stop_pmu();
    prepare(slot, selector, value);
    arm_interrupt(slot);
    start();
    spin(5000);
    const std::uint64_t came = pmu_interrupts();
    const std::uint64_t skid = value_at_interrupt & low_half;
    stop();
    if (came == 0) return print_line("test ", name, " lost");
    report(name, came == 1 && overflow_seen == 1u << slot);
    print_line("value ", name, "_skid ", skid);
}

void test_sampling() {
    constexpr std::uint64_t period = 10'000;
    constexpr std::uint64_t samples = 20;
    stop_pmu();
    prepare(0, arm::event_instructions, std::uint32_t(0 - period));
    rearm = period;
    arm_interrupt(0);
    start();
    // The handler's own instructions are counted too: less than half a period in all.
    for (std::uint64_t i = 0; i < samples; ++i) spin(period / 2);
    const std::uint64_t came = pmu_interrupts();
    stop();
    rearm = 0;
    const bool complete = came >= samples;
    // More than the handler explains: the hypervisor's work is counted too.
    print_line("test sampling ", !complete ? "lost" : came <= samples + 2 ? "ok" : "over");
}

void test_chain() {
    if (!has_event(arm::event_chain)) return print_line("test chain absent");
    stop_pmu();
    prepare(0, arm::event_instructions, 0xffff'ff00);
    prepare(1, arm::event_chain, 41);
    start();
    spin(1000);
    stop();
    const bool carried = hyp::read_event_counter(1) == 42;
    const std::uint64_t low = hyp::read_event_counter(0) & low_half;
    report("chain", carried && low >= 2000 - 0x100);
}

// The bit of the even counter is set already when the odd one overflows.
void test_chain_overflow() {
    if (!has_event(arm::event_chain)) return print_line("test chain_overflow absent");
    stop_pmu();
    prepare(0, arm::event_instructions, 0xffff'ff00);
    prepare(1, arm::event_chain, low_half);
    HYP_WRITE(pmovsset_el0, 1);
    start();
    spin(1000);
    stop();
    const std::uint64_t overflowed = HYP_READ(pmovsclr_el0);
    const bool wrapped = (hyp::read_event_counter(1) & low_half) == 0;
    report("chain_overflow", wrapped && (overflowed & 3) == 3);
}

}  // namespace

extern "C" void guest_main() {
    print_line("counters ", counter_count());
    test_introspection();
    test_identity();
    test_configuration();
    test_set_and_clear();
    test_unimplemented();
    test_cycles();
    test_instructions();
    test_global_disable();
    test_filters();
    test_user_mode();
    test_user_access();
    test_software_increment();
    test_reset();
    test_overflow_bit();
    test_short_cycles();
    test_long_events();
    enable_interrupt(hyp::platform::pmu_interrupt);
    set_interrupts(true);
    test_software_interrupt();
    test_interrupt("event_interrupt", 0, arm::event_instructions, 0xffff'ffff - 999);
    test_interrupt("cycle_interrupt", cycle_counter, 0, ~std::uint64_t{0} - 999);
    test_sampling();
    test_chain();
    test_chain_overflow();
    print_line("conformance done");
}

}  // namespace ringside::guest_test
