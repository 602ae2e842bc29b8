// The vocabulary of the engine: counters, masks of counters, policies, and how an access ends.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "abi/vpmu_page.h"

namespace ringside::vpmu {

// A counter, named by its bit in the architecture's own enable register: general counters from 0,
// Intel's fixed counters from 32 (SDM vol. 3, IA32_PERF_GLOBAL_CTRL), Arm's cycle counter 31 (Arm
// ARM, PMCNTENSET_EL0). A host with more general counters than its guest then needs no translation.
using Slot = unsigned;
using Mask = std::uint64_t;

inline constexpr Slot max_slots = 36;
inline constexpr Slot first_intel_fixed = 32;
inline constexpr Slot arm_cycle_slot = 31;

constexpr Mask bit(Slot slot) {
    return Mask{1} << slot;
}
constexpr std::uint64_t low_bits(unsigned count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// std::popcount asks x86-64 compilers for libgcc, which a hypervisor may not have.
constexpr unsigned count_bits(Mask mask) {
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1) ++count;
    return count;
}

template <typename Function>
constexpr void for_each_slot(Mask mask, Function function) {
    for (; mask != 0; mask &= mask - 1) function(static_cast<Slot>(std::countr_zero(mask)));
}

// Numbers of the shared page.
enum class Architecture : std::uint8_t {
    intel = VPMU_PAGE_INTEL,
    amd = VPMU_PAGE_AMD,
    arm64 = VPMU_PAGE_ARM64,
};

enum class Privilege : std::uint8_t { user, kernel };

// Where a CPU executes. On Arm these are EL0, EL1 and EL2; on x86 guest CPL 3, guest CPL 0, host.
enum class Mode : std::uint8_t { guest_user, guest_kernel, host };

// How a guest's access to a register ends. `undefined` is #GP or #UD on x86 and an Undefined
// Instruction exception on Arm: the caller injects it. `ignored` had no effect.
enum class Outcome : std::uint8_t { done, ignored, undefined };

struct Access {
    Outcome outcome = Outcome::undefined;
    std::uint64_t value = 0;
};

// What made the CPU leave the guest. A fast exit is handled with interrupts off and goes straight
// back; KVM calls it the fast path.
enum class ExitReason : std::uint8_t { fast, pmu_access, pmu_interrupt, other };

}  // namespace ringside::vpmu
