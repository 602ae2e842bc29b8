// The proofs, as functions: each takes about so many steps and gives the first broken promise.
#pragma once

#include "world.h"

namespace ringside::vpmu::proof {

// No guest can tell the engine from a PMU of its own, under any policy.
std::optional<Violation> random_worlds(std::uint64_t steps, std::uint64_t seed);
// Every thread has its own count, and every period its sample.
std::optional<Violation> random_threads(std::uint64_t steps, std::uint64_t seed);
// In the same course of events lazy_mediated never moves more registers than mediated.
std::optional<Violation> lazy_against_mediated(std::uint64_t steps, std::uint64_t seed);
// Every order of a few happenings, to this depth, with 2 machines and 2 counters.
std::optional<Violation> every_order(unsigned depth, std::uint64_t& worlds);

}  // namespace ringside::vpmu::proof
