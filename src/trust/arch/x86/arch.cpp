#include "trust/arch.h"

#include <linux/kvm.h>

#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr unsigned char ret[] = {0xc3};

}  // namespace

constinit const std::span<const unsigned char> return_code(ret);
constinit const bool exits_from_user_mode = true;
// 0 also on kernels before 5.18, which could not be asked.
constinit const KvmCapability guest_pmu_capability{"KVM_CAP_PMU_CAPABILITY",
                                                   KVM_CAP_PMU_CAPABILITY};

void counted_loop(std::uint64_t iterations) {
    asm volatile(
        "1: dec %0\n"
        "jnz 1b\n"
        : "+r"(iterations)
        :
        : "cc");
}

constinit const std::uint64_t exiting_loop_instructions = 4;

void exiting_loop(std::uint64_t iterations, int) {
    asm volatile(
        "1: xor %%eax, %%eax\n"
        "cpuid\n"
        "dec %0\n"
        "jnz 1b\n"
        : "+r"(iterations)
        :
        : "rax", "rbx", "rcx", "rdx", "cc");
}

std::uint64_t add_if_odd(std::uint64_t sum, std::uint64_t number) {
    asm volatile(
        "test $1, %b1\n"
        "jz 1f\n"
        "inc %0\n"
        "1:\n"
        : "+r"(sum)
        : "r"(number)
        : "cc");
    return sum;
}

void flush_line(const void* address) {
    asm volatile("clflush (%0)\n mfence" : : "r"(address) : "memory");
}

}  // namespace ringside::trust
