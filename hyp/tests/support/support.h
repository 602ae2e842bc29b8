// What the test guests are made of. The same images run at EL1 of the bare machine, so that the two
// can be compared.
#pragma once

#include <cstdint>

#include "abi/hypercall.h"
#include "hyp/arch/event_registers.h"
#include "hyp/platform/console.h"
#include "hyp/platform/virt.h"
#include "vpmu/bits.h"

namespace ringside::guest_test {

using hyp::Hex;
using hyp::print_line;
namespace arm = vpmu::arm;

inline constexpr unsigned cycle_counter = 31;

extern "C" void guest_main();
extern "C" std::uint64_t run_as_user(std::uint64_t (*function)());
extern "C" std::uint64_t spin(std::uint64_t n);
extern "C" [[noreturn]] void power_off_guest();
extern "C" std::uint64_t user_result;

constexpr std::uint64_t spin_instructions(std::uint64_t n) {
    return 2 * n + 1;
}

inline std::uint64_t hypercall(std::uint64_t function, std::uint64_t argument = 0) {
    register std::uint64_t x0 asm("x0") = function;
    register std::uint64_t x1 asm("x1") = argument;
    asm volatile("hvc #0" : "+r"(x0), "+r"(x1)::"x2", "x3", "memory");
    return x0;
}

// Synchronous exceptions at EL1 skip the instruction and are counted here.
struct Exceptions {
    std::uint64_t count = 0;
    std::uint64_t syndrome = 0;  // of the last
};
extern volatile Exceptions exceptions;

// Interrupts are counted by number; the PMU's handler clears the overflow bits it found.
extern volatile std::uint64_t interrupts[32];
extern volatile std::uint64_t overflow_seen;       // by the last PMU interrupt
extern volatile std::uint64_t value_at_interrupt;  // of the counter in `watched`
extern volatile unsigned watched;
// Not 0: the PMU's handler sets counter 0 to overflow after so many more events.
extern volatile std::uint64_t rearm;
// Not null: called instead of all that, for a kernel without PMU registers.
extern void (*pmu_handler)();

// Switches the interrupt controller on, for private interrupts.
void enable_interrupt(unsigned number);
void set_interrupts(bool on);

std::uint64_t counter_count();
void stop_pmu();

}  // namespace ringside::guest_test
