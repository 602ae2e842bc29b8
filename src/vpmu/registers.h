// Which PMU register an access means: from MSR numbers, RDPMC indices and system-register encodings
// to one small vocabulary. The tables are data; registers.cpp holds them.
#pragma once

#include "vpmu/model.h"

namespace ringside::vpmu {

enum class RegisterKind : std::uint8_t {
    none,          // not a PMU register of this model
    counter,       // one counter, at its full width
    counter_low,   // Intel 0xC1+i: a write gives 32 bits, sign-extended
    counter_read,  // RDPMC
    selector,      // PERFEVTSEL, PERF_CTL, PMEVTYPER, PMCCFILTR
    control,       // FIXED_CTR_CTRL, PMCR
    enable,        // GLOBAL_CTRL
    status,        // GLOBAL_STATUS
    status_clear,  // GLOBAL_STATUS_RESET, PERF_CNTR_GLOBAL_STATUS_CLR
    status_set,    // GLOBAL_STATUS_SET
    enable_set,    // the rest is Arm's
    enable_clear,
    interrupt_set,
    interrupt_clear,
    overflow_set,
    overflow_clear,
    software_increment,
    select,             // PMSELR
    selected_counter,   // PMXEVCNTR
    selected_selector,  // PMXEVTYPER
    user_enable,        // PMUSERENR
    event_id_low,       // PMCEID0
    event_id_high,      // PMCEID1
};

struct Register {
    RegisterKind kind = RegisterKind::none;
    Slot slot = 0;

    constexpr bool operator==(const Register&) const = default;
};

Register decode_msr(const PmuModel& model, std::uint32_t msr);
// `index` is ECX; anything unimplemented gives none, and RDPMC then raises #GP.
Register decode_rdpmc(const PmuModel& model, std::uint32_t index);

// op0:op1:CRn:CRm:op2 as in bits 20:5 of MRS and MSR (Arm ARM, C5.1.2).
constexpr std::uint16_t sysreg(unsigned op0, unsigned op1, unsigned crn, unsigned crm,
                               unsigned op2) {
    return std::uint16_t(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2);
}
Register decode_sysreg(const PmuModel& model, std::uint16_t encoding);

}  // namespace ringside::vpmu
