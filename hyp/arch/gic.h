// The physical interrupt controller, GICv3: distributor and redistributor in memory, the CPU
// interface and the virtual one in system registers (Arm IHI 0069H).
#pragma once

#include <cstdint>

#include "hyp/core/vgic.h"

namespace ringside::hyp::gic {

inline constexpr unsigned no_interrupt = 1020;  // and above: spurious

// Group 1, one priority, nothing enabled but our own private interrupts.
void set_up();
// How many list registers there are.
unsigned list_register_count();

unsigned acknowledge();
// The next interrupt can come; this one stays active until it is deactivated.
void drop_priority(unsigned interrupt);
void deactivate(unsigned interrupt);
// A private interrupt's active bit, as if it had been acknowledged or deactivated.
void set_active(unsigned interrupt, bool active);

// Device interrupts, 32 a word.
void enable_devices(unsigned word, std::uint32_t interrupts);
void set_edge_triggered(unsigned interrupt, bool edge);

void load_list_registers(const ListRegisters& registers);
void save_list_registers(ListRegisters& registers);

}  // namespace ringside::hyp::gic
