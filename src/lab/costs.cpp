#include "lab/costs.h"

#include <string_view>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace ringside::lab {

Costs read_costs() {
    const auto table = base::embedded_file("lab/costs.csv");
    RINGSIDE_ASSERT(table.has_value());
    const auto rows = base::parse_csv(*table);
    const auto value_of = [&](std::string_view name) {
        for (const auto& row : rows) {
            if (row.size() < 2 || row[0] != name) continue;
            const auto value = base::parse_u64(row[1]);
            RINGSIDE_ASSERT(value.has_value());
            return *value;
        }
        RINGSIDE_ASSERT(false);
        return std::uint64_t{0};
    };
    return {.cpu_mhz = value_of("cpu_mhz"),
            .exit_cycles = value_of("exit_cycles"),
            .fast_exit_cycles = value_of("fast_exit_cycles"),
            .exit_instructions = value_of("exit_instructions"),
            .exit_spread_percent = value_of("exit_spread_percent"),
            .register_move_cycles = value_of("register_move_cycles"),
            .backing_change_cycles = value_of("backing_change_cycles"),
            .hardware_switch_cycles = value_of("hardware_switch_cycles"),
            .interrupt_latency_ns = value_of("interrupt_latency_ns"),
            .rotation_ns = value_of("rotation_ns"),
            .guest_tick_ns = value_of("guest_tick_ns"),
            .background_ns = value_of("background_ns")};
}

}  // namespace ringside::lab
