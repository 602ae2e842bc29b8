// What things cost, from one table for all scenarios: data/lab/costs.csv, with its sources.
#pragma once

#include <cstdint>

namespace ringside::lab {

struct Costs {
    std::uint64_t cpu_mhz = 0;
    std::uint64_t exit_cycles = 0;
    std::uint64_t fast_exit_cycles = 0;
    std::uint64_t exit_instructions = 0;    // that the VMM executes for one slow exit
    std::uint64_t exit_spread_percent = 0;  // how far one exit's work is from the mean
    std::uint64_t register_move_cycles = 0;
    std::uint64_t backing_change_cycles = 0;   // legacy: to start or stop one guest counter's event
    std::uint64_t hardware_switch_cycles = 0;  // a load or a put, if hardware did it
    std::uint64_t interrupt_latency_ns = 0;
    std::uint64_t rotation_ns = 0;    // of a guest's perf that multiplexes
    std::uint64_t guest_tick_ns = 0;  // how long a guest's thread runs before the next
    std::uint64_t background_ns = 0;  // how often a guest's kernel preempts a thread shortly

    std::uint64_t to_ns(std::uint64_t cycles) const { return cycles * 1000 / cpu_mhz; }
};

Costs read_costs();

}  // namespace ringside::lab
