#include "platform/cpuid.h"

#include <cpuid.h>

namespace ringside::platform {

std::optional<CpuidRegs> execute_cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
    CpuidRegs regs;
    __cpuid_count(leaf, subleaf, regs.eax, regs.ebx, regs.ecx, regs.edx);
    return regs;
}

}  // namespace ringside::platform
