#include "hyp/arch/pmu.h"

#include "hyp/arch/event_registers.h"
#include "hyp/arch/time.h"
#include "vpmu/bits.h"

namespace ringside::hyp {

namespace {

namespace arm = vpmu::arm;

// MDCR_EL2 (Arm ARM, D19.3.17). Its low bits, HPMN, are the counters that belong to EL1.
constexpr std::uint64_t trap_pmu = 1u << 6;                          // TPM
constexpr std::uint64_t trap_debug = 1u << 9 | 1u << 10 | 1u << 11;  // TDA, TDOSA, TDRA
constexpr std::uint64_t not_at_el2 = 1u << 17 | 1u << 23;            // HPMD, HCCD
constexpr std::uint64_t control_bits =
    arm::pmcr_enable | arm::pmcr_long_cycle | arm::pmcr_long_events;

// At EL2 PMCR_EL0.N is not cut down by HPMN.
unsigned implemented() {
    return static_cast<unsigned>(HYP_READ(pmcr_el0) >> arm::pmcr_n_shift) & 0x1f;
}

}  // namespace

vpmu::PmuModel Pmu::model() {
    const auto version = static_cast<unsigned>(HYP_READ(id_aa64dfr0_el1) >> 8) & 0xf;
    vpmu::PmuModel found = vpmu::arm_pmuv3(implemented(), version);
    found.event_ids = (HYP_READ(pmceid0_el0) & 0xffff'ffff) | (HYP_READ(pmceid1_el0) & 0xffff'ffff)
                                                                  << 32;
    found.identity = static_cast<std::uint16_t>(HYP_READ(pmcr_el0) >> arm::pmcr_identity_shift);
    return found;
}

std::uint64_t Pmu::read_counter(vpmu::Slot slot) {
    return slot == vpmu::arm_cycle_slot ? HYP_READ(pmccntr_el0) : read_event_counter(slot);
}
std::uint64_t Pmu::read_selector(vpmu::Slot slot) {
    return slot == vpmu::arm_cycle_slot ? HYP_READ(pmccfiltr_el0) : read_event_type(slot);
}
std::uint64_t Pmu::read_control() {
    return HYP_READ(pmcr_el0) & control_bits;
}
std::uint64_t Pmu::read_enable() {
    return HYP_READ(pmcntenset_el0);
}
std::uint64_t Pmu::read_overflow() {
    return HYP_READ(pmovsset_el0);
}
std::uint64_t Pmu::read_interrupt_enable() {
    return HYP_READ(pmintenset_el1);
}
std::uint64_t Pmu::read_select() {
    return HYP_READ(pmselr_el0);
}

void Pmu::write_counter(vpmu::Slot slot, std::uint64_t value) {
    if (slot == vpmu::arm_cycle_slot) {
        HYP_WRITE(pmccntr_el0, value);
    } else {
        write_event_counter(slot, value);
    }
}
void Pmu::write_selector(vpmu::Slot slot, std::uint64_t value) {
    if (slot == vpmu::arm_cycle_slot) {
        HYP_WRITE(pmccfiltr_el0, value);
    } else {
        write_event_type(slot, value);
    }
}
void Pmu::write_control(std::uint64_t value) {
    HYP_WRITE(pmcr_el0, value & control_bits);
    // Erratum: QEMU (7.2) does not look at the interrupt's level when E changes, but with every
    // write of an overflow bit; one that is not taken back would come again and again.
    HYP_WRITE(pmovsclr_el0, 0);
}
void Pmu::write_enable(std::uint64_t value) {
    HYP_WRITE(pmcntenclr_el0, ~value & 0xffff'ffff);
    HYP_WRITE(pmcntenset_el0, value);
    instruction_barrier();
}
void Pmu::set_overflow(std::uint64_t value) {
    HYP_WRITE(pmovsset_el0, value);
}
void Pmu::clear_overflow(std::uint64_t value) {
    HYP_WRITE(pmovsclr_el0, value);
}
void Pmu::write_interrupt_enable(std::uint64_t value) {
    HYP_WRITE(pmintenclr_el1, ~value & 0xffff'ffff);
    HYP_WRITE(pmintenset_el1, value);
}
void Pmu::write_select(std::uint64_t value) {
    HYP_WRITE(pmselr_el0, value);
}
std::uint64_t Pmu::now_ns() {
    return hyp::now_ns();
}

void Pmu::let_guest(bool direct, unsigned visible, std::uint64_t user_enable) {
    const std::uint64_t wanted =
        trap_debug | (direct ? visible | not_at_el2 : implemented() | trap_pmu);
    if (wanted != mdcr_) HYP_WRITE(mdcr_el2, mdcr_ = wanted);
    HYP_WRITE(pmuserenr_el0, direct ? direct_user_enable_ : user_enable);
    direct_ = direct;
}

void Pmu::leave_guest() {
    if (!direct_) return;
    direct_user_enable_ = HYP_READ(pmuserenr_el0);
    HYP_WRITE(mdcr_el2, mdcr_ = implemented() | trap_debug);
}

}  // namespace ringside::hyp
