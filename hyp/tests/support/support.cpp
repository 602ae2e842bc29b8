#include "support.h"

namespace ringside::guest_test {

volatile Exceptions exceptions;
volatile std::uint64_t interrupts[32];
volatile std::uint64_t overflow_seen;
volatile std::uint64_t value_at_interrupt;
volatile unsigned watched;
volatile std::uint64_t rearm;
void (*pmu_handler)();
extern "C" std::uint64_t user_result;
std::uint64_t user_result;

extern "C" void guest_sync() {
    exceptions.count = exceptions.count + 1;
    exceptions.syndrome = HYP_READ(esr_el1);
    HYP_WRITE(elr_el1, HYP_READ(elr_el1) + 4);
}

extern "C" void guest_interrupt() {
    const std::uint64_t number = HYP_READ(S3_0_C12_C12_0);  // ICC_IAR1_EL1
    if (number >= 32) return;
    if (number == hyp::platform::pmu_interrupt && pmu_handler != nullptr) {
        pmu_handler();
    } else if (number == hyp::platform::pmu_interrupt) {
        value_at_interrupt =
            watched == cycle_counter ? HYP_READ(pmccntr_el0) : hyp::read_event_counter(watched);
        overflow_seen = HYP_READ(pmovsclr_el0);
        if (rearm != 0) hyp::write_event_counter(0, std::uint32_t(0 - rearm));
        HYP_WRITE(pmovsclr_el0, overflow_seen);
    }
    if (number == hyp::platform::virtual_timer_interrupt) HYP_WRITE(cntv_ctl_el0, 0);
    interrupts[number] = interrupts[number] + 1;
    HYP_WRITE(S3_0_C12_C12_1, number);  // ICC_EOIR1_EL1
}

void enable_interrupt(unsigned number) {
    const auto reg = [](std::uint64_t address) {
        return reinterpret_cast<volatile std::uint32_t*>(address);
    };
    namespace board = hyp::platform;
    constexpr std::uint64_t own = board::redistributor + 0x10000;
    *reg(board::redistributor + 0x14) = 0;  // awake
    *reg(board::distributor) = 1u << 4 | 1u << 1;
    *reg(own + 0x80) = ~0u;
    *reg(own + 0x400 + number / 4 * 4) = 0xa0a0a0a0;
    *reg(own + 0x100) = 1u << number;
    HYP_WRITE(S3_0_C12_C12_5, 7);  // ICC_SRE_EL1
    hyp::instruction_barrier();
    HYP_WRITE(S3_0_C4_C6_0, 0xff);  // ICC_PMR_EL1
    HYP_WRITE(S3_0_C12_C12_7, 1);   // ICC_IGRPEN1_EL1
    hyp::instruction_barrier();
}

void set_interrupts(bool on) {
    if (on) {
        asm volatile("msr daifclr, #2" ::: "memory");
    } else {
        asm volatile("msr daifset, #2" ::: "memory");
    }
}

std::uint64_t counter_count() {
    return HYP_READ(pmcr_el0) >> arm::pmcr_n_shift & 0x1f;
}

void stop_pmu() {
    HYP_WRITE(pmcr_el0, 0);
    HYP_WRITE(pmcntenclr_el0, 0xffff'ffff);
    HYP_WRITE(pmintenclr_el1, 0xffff'ffff);
    HYP_WRITE(pmovsclr_el0, 0xffff'ffff);
}

}  // namespace ringside::guest_test
