// Work whose event counts are known before it runs. Everything a verdict rests on starts here.
#pragma once

#include <cstdint>

namespace ringside::trust {

// Two instructions and one branch an iteration, on both architectures. The second instruction
// depends on the first, and each iteration on the last.
inline constexpr std::uint64_t loop_instructions = 2;
// The loop's chain of dependences costs a cycle an iteration; processors that fold additions of
// small constants at rename are allowed four at once.
inline constexpr std::uint64_t loop_iterations_per_cycle = 4;

// `iterations` must not be 0.
void counted_loop(std::uint64_t iterations);

// The same loop with one more instruction that leaves the guest on every iteration: CPUID, which
// always exits (Intel SDM vol. 3, 26.1.2; AMD APM vol. 2, 15.9), or on arm64 a read(2) of `fd`,
// whose kernel side reads a PMU register that KVM traps.
void exiting_loop(std::uint64_t iterations, int fd);
// Instructions that exiting_loop() retires in user mode on each iteration.
extern const std::uint64_t exiting_loop_instructions;

// A branch an iteration that no predictor can learn, and a call and return an iteration.
void unpredictable_branches(std::uint64_t iterations);

// Drops the line at `address` from every cache.
void flush_line(const void* address);

}  // namespace ringside::trust
