// The machine's own firmware: PSCI by SMC (Arm DEN 0022).
#pragma once

#include <cstdint>

namespace ringside::hyp {

[[noreturn]] inline void power_off() {
    register std::uint64_t function asm("x0") = 0x84000008;  // SYSTEM_OFF
    asm volatile("smc #0" : "+r"(function)::"memory");
    for (;;) asm volatile("wfi");
}

}  // namespace ringside::hyp
