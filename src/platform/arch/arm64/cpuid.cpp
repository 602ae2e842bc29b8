#include "platform/cpuid.h"

namespace ringside::platform {

std::optional<CpuidRegs> execute_cpuid(std::uint32_t, std::uint32_t) {
    return std::nullopt;
}

}  // namespace ringside::platform
