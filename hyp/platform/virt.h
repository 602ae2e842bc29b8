// QEMU's `virt` machine with a GICv3: where things are. A port to another board is another file of
// this kind.
#pragma once

#include "hyp/core/range.h"

namespace ringside::hyp::platform {

inline constexpr std::uint64_t distributor = 0x08000000;
inline constexpr std::uint64_t distributor_bytes = 0x10000;
inline constexpr std::uint64_t redistributor = 0x080a0000;
inline constexpr std::uint64_t redistributor_bytes = 0x20000;
inline constexpr std::uint64_t uart = 0x09000000;
inline constexpr std::uint64_t uart_bytes = 0x1000;

// Everything below is memory-mapped devices; a guest that owns the devices sees all of it but the
// interrupt controller.
inline constexpr std::uint64_t ram_base = 0x40000000;
// QEMU leaves the device tree at the start of RAM; the loader puts the manifest behind it.
inline constexpr std::uint64_t device_tree = ram_base;
inline constexpr std::uint64_t device_tree_bytes = 0x100000;
inline constexpr std::uint64_t manifest = 0x40100000;
inline constexpr std::uint64_t manifest_bytes = 0x4000;
// Device tree, manifest and hypervisor; guests get their memory above.
inline constexpr Range reserved{ram_base, 0x41000000};

// Interrupt numbers: PPIs of the Arm base system architecture, and how many the controller has.
inline constexpr unsigned pmu_interrupt = 23;
inline constexpr unsigned maintenance_interrupt = 25;
inline constexpr unsigned hypervisor_timer_interrupt = 26;
inline constexpr unsigned virtual_timer_interrupt = 27;
inline constexpr unsigned interrupt_count = 288;

}  // namespace ringside::hyp::platform
