// What things cost, from one table for all scenarios: data/lab/costs.csv, with its sources.
#pragma once

#include <cstdint>

namespace ringside::lab {

struct Costs {
    std::uint64_t exit_cycles = 0;
    std::uint64_t fast_exit_cycles = 0;
    std::uint64_t register_move_cycles = 0;
    std::uint64_t exit_instructions = 0;  // that the VMM executes for one slow exit
    std::uint64_t cpu_mhz = 0;
};

Costs read_costs();

}  // namespace ringside::lab
