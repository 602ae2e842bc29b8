// The ID registers of EL1 (op0 3, op1 0, CRn 0, CRm 1 to 7), read for a guest that is not to see
// all that the CPU has. Those without a name read as zero (Arm ARM, D19.1).
#pragma once

#include "hyp/arch/sysreg.h"
#include "vpmu/registers.h"

namespace ringside::hyp {

constexpr bool is_identification(std::uint16_t encoding) {
    return encoding >= vpmu::sysreg(3, 0, 0, 1, 0) && encoding <= vpmu::sysreg(3, 0, 0, 7, 7);
}

#define HYP_EACH_IN_GROUP(each, crm)                                                           \
    each(crm, 0) each(crm, 1) each(crm, 2) each(crm, 3) each(crm, 4) each(crm, 5) each(crm, 6) \
        each(crm, 7)
#define HYP_EACH_IDENTIFICATION(each) \
    HYP_EACH_IN_GROUP(each, 1)        \
    HYP_EACH_IN_GROUP(each, 2)        \
    HYP_EACH_IN_GROUP(each, 3)        \
    HYP_EACH_IN_GROUP(each, 4)        \
    HYP_EACH_IN_GROUP(each, 5) HYP_EACH_IN_GROUP(each, 6) HYP_EACH_IN_GROUP(each, 7)

inline std::uint64_t read_identification(std::uint16_t encoding) {
    switch (encoding) {
#define HYP_CASE(crm, op2)                \
    case vpmu::sysreg(3, 0, 0, crm, op2): \
        return HYP_READ(S3_0_C0_C##crm##_##op2);
        HYP_EACH_IDENTIFICATION(HYP_CASE)
#undef HYP_CASE
        default:
            return 0;
    }
}
#undef HYP_EACH_IDENTIFICATION
#undef HYP_EACH_IN_GROUP

// The same without PMU registers: ID_AA64DFR0_EL1.PMUVer and ID_DFR0_EL1.PerfMon are 0.
inline std::uint64_t read_identification_without_pmu(std::uint16_t encoding) {
    const std::uint64_t value = read_identification(encoding);
    if (encoding == vpmu::sysreg(3, 0, 0, 5, 0)) return value & ~(std::uint64_t{0xf} << 8);
    if (encoding == vpmu::sysreg(3, 0, 0, 1, 2)) return value & ~(std::uint64_t{0xf} << 24);
    return value;
}

}  // namespace ringside::hyp
