// What arch/x86 and arch/arm64 each say; loops.h has the rest of it.
#pragma once

#include <cstdint>
#include <span>

namespace ringside::trust {

// A function that only returns.
extern const std::span<const unsigned char> return_code;

// Does exiting_loop() leave the guest from user mode directly? Then the kernel and the VMM can be
// counted too; else it goes through a system call, whose own length is not known.
extern const bool exits_from_user_mode;

// Whether KVM gives its guests a PMU.
struct KvmCapability {
    const char* name;
    int number;
};
extern const KvmCapability guest_pmu_capability;

// sum + 1 where the number is odd, by a branch. Called through the ABI, so that a call and a return
// really happen.
[[gnu::noinline]] std::uint64_t add_if_odd(std::uint64_t sum, std::uint64_t number);

}  // namespace ringside::trust
