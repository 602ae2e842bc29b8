#include "trust/arch.h"

#include <array>

#include <linux/kvm.h>
#include <sys/syscall.h>

#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr unsigned char ret[] = {0xc0, 0x03, 0x5f, 0xd6};

}  // namespace

constinit const std::span<const unsigned char> return_code(ret);
constinit const bool exits_from_user_mode = false;
constinit const KvmCapability guest_pmu_capability{"KVM_CAP_ARM_PMU_V3", KVM_CAP_ARM_PMU_V3};

void counted_loop(std::uint64_t iterations) {
    asm volatile(
        "1: subs %0, %0, #1\n"
        "b.ne 1b\n"
        : "+r"(iterations)
        :
        : "cc");
}

constinit const std::uint64_t exiting_loop_instructions = 5;

void exiting_loop(std::uint64_t iterations, int fd) {
    std::array<std::uint64_t, 3> words{};
    register long number asm("x8") = SYS_read;
    register long result asm("x0") = 0;
    register void* to asm("x1") = words.data();
    register unsigned long size asm("x2") = sizeof words;
    asm volatile(
        "1: mov x0, %[fd]\n"
        "svc #0\n"
        "nop\n"
        "subs %[left], %[left], #1\n"
        "b.ne 1b\n"
        : [left] "+r"(iterations), "+r"(result)
        : [fd] "r"(static_cast<long>(fd)), "r"(number), "r"(to), "r"(size)
        : "cc", "memory");
}

std::uint64_t add_if_odd(std::uint64_t sum, std::uint64_t number) {
    asm volatile(
        "tbz %1, #0, 1f\n"
        "add %0, %0, #1\n"
        "1:\n"
        : "+r"(sum)
        : "r"(number));
    return sum;
}

void flush_line(const void* address) {
    asm volatile("dc civac, %0\n dsb ish" : : "r"(address) : "memory");
}

}  // namespace ringside::trust
