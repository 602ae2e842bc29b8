#include "hyp/arch/trap.h"

namespace ringside::hyp {

TrapKind trap_kind(std::uint64_t esr) {
    switch (exception_class(esr)) {
        case 0x01:
            return TrapKind::wait;
        case 0x16:
            return TrapKind::hypercall;
        case 0x17:
            return TrapKind::firmware;
        case 0x18:
            return TrapKind::sysreg;
        case 0x20:
            return TrapKind::instruction_abort;
        case 0x24:
            return TrapKind::data_abort;
        default:
            return TrapKind::other;
    }
}

// ISS of EC 0x18: op0 21:20, op2 19:17, op1 16:14, CRn 13:10, Rt 9:5, CRm 4:1, direction 0.
SysregAccess decode_sysreg_access(std::uint64_t esr) {
    const auto field = [esr](unsigned shift, unsigned mask) {
        return static_cast<unsigned>(esr >> shift) & mask;
    };
    const unsigned encoding = field(20, 3) << 14 | field(14, 7) << 11 | field(10, 15) << 7 |
                              field(1, 15) << 3 | field(17, 7);
    return {static_cast<std::uint16_t>(encoding), (esr & 1) != 0, field(5, 31)};
}

// CRn 9 with CRm 12 to 14, at EL0 and EL1; PMEVCNTR and PMEVTYPER are CRn 14, CRm 8 to 15 at EL0.
bool is_pmu_register(std::uint16_t encoding) {
    const unsigned op0 = encoding >> 14;
    const unsigned op1 = encoding >> 11 & 7;
    const unsigned crn = encoding >> 7 & 15;
    const unsigned crm = encoding >> 3 & 15;
    if (op0 != 3) return false;
    if (crn == 9) return (op1 == 0 || op1 == 3) && crm >= 12 && crm <= 14;
    return crn == 14 && op1 == 3 && crm >= 8;
}

bool is_debug_register(std::uint16_t encoding) {
    return encoding >> 14 == 2;
}

// ISS of a data abort: ISV 24, SAS 23:22, SSE 21, SRT 20:16, SF 15, S1PTW 7, WnR 6.
MemoryAccess decode_memory_access(std::uint64_t esr) {
    const auto is_set = [esr](unsigned position) { return (esr >> position & 1) != 0; };
    return {.is_decoded = is_set(24),
            .is_write = is_set(6),
            .from_table_walk = is_set(7),
            .sign_extends = is_set(21),
            .wide = is_set(15),
            .bytes = 1u << (esr >> 22 & 3),
            .rt = static_cast<unsigned>(esr >> 16) & 31};
}

std::uint64_t loaded_value(const MemoryAccess& access, std::uint64_t value) {
    const unsigned unused = 64 - 8 * access.bytes;
    value = value << unused >> unused;
    if (access.sign_extends) {
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
    }
    return access.wide ? value : value & 0xffff'ffff;
}

std::uint64_t vector_offset(std::uint64_t pstate) {
    constexpr std::uint64_t from_32_bit = 1u << 4;
    const bool from_user = (pstate & 0xc) == 0;
    if (!from_user) return (pstate & 1) != 0 ? 0x200 : 0x000;
    return (pstate & from_32_bit) != 0 ? 0x600 : 0x400;
}

}  // namespace ringside::hyp
