// Why a guest was left, from ESR_EL2 (Arm ARM, D19.2.37). Pure decoding.
#pragma once

#include <cstdint>

namespace ringside::hyp {

enum class TrapKind : std::uint8_t {
    wait,        // WFI or WFE
    hypercall,   // HVC; the return address is behind it
    firmware,    // SMC; the return address is at it
    sysreg,      // MRS or MSR
    data_abort,  // stage 2, or an external abort
    instruction_abort,
    other,
};

TrapKind trap_kind(std::uint64_t esr);

constexpr unsigned exception_class(std::uint64_t esr) {
    return static_cast<unsigned>(esr >> 26) & 0x3f;
}

// Register 31 is XZR.
struct SysregAccess {
    std::uint16_t encoding = 0;  // as vpmu::sysreg() makes it
    bool is_read = false;
    unsigned rt = 31;
};
SysregAccess decode_sysreg_access(std::uint64_t esr);

// Groups of registers that trap together.
bool is_pmu_register(std::uint16_t encoding);
bool is_debug_register(std::uint16_t encoding);

// An access to memory that is not there, which may be a device we emulate.
struct MemoryAccess {
    bool is_decoded = false;  // the syndrome says which register and how wide
    bool is_write = false;
    bool from_table_walk = false;
    bool sign_extends = false;
    bool wide = false;  // the register is X, not W
    unsigned bytes = 0;
    unsigned rt = 31;
};
MemoryAccess decode_memory_access(std::uint64_t esr);

// What the register of a load gets.
std::uint64_t loaded_value(const MemoryAccess& access, std::uint64_t value);

// The guest address of a stage 2 abort.
constexpr std::uint64_t fault_address(std::uint64_t hpfar, std::uint64_t far) {
    return (hpfar & 0xff'ffff'fff0) << 8 | (far & 0xfff);
}

// Where an exception taken to EL1 from `pstate` goes, from VBAR_EL1 on.
std::uint64_t vector_offset(std::uint64_t pstate);

}  // namespace ringside::hyp
