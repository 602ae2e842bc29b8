// Bits of the PMU registers, as the manuals name them.
#pragma once

#include <cstdint>

namespace ringside::vpmu {

// IA32_PERFEVTSELx (SDM vol. 3, 20.2.1.1) and PERF_CTLx (AMD APM vol. 2, 13.2.1).
namespace x86 {
inline constexpr std::uint64_t select_event = 0xff;
inline constexpr std::uint64_t select_umask = 0xff00;
inline constexpr std::uint64_t select_user = 1u << 16;
inline constexpr std::uint64_t select_kernel = 1u << 17;
inline constexpr std::uint64_t select_interrupt = 1u << 20;
inline constexpr std::uint64_t select_enable = 1u << 22;
inline constexpr std::uint64_t amd_select_event_high = 0xfull << 32;
inline constexpr std::uint64_t amd_guest_only = 1ull << 40;
inline constexpr std::uint64_t amd_host_only = 1ull << 41;
// What a guest may write. Intel: bit 21 (AnyThread) is gone since version 5, bits 63:32 are
// reserved. AMD: bits 19 and 21 are reserved; the host keeps GuestOnly and HostOnly to itself.
inline constexpr std::uint64_t intel_select_writable = 0xffdfffff;
inline constexpr std::uint64_t amd_select_writable = 0xfffd7ffffull;

// A nibble of IA32_FIXED_CTR_CTRL (SDM vol. 3, figure 20-2); bit 2 is the deprecated AnyThread.
inline constexpr std::uint64_t fixed_kernel = 1;
inline constexpr std::uint64_t fixed_user = 2;
inline constexpr std::uint64_t fixed_interrupt = 8;
inline constexpr std::uint64_t fixed_writable = 0xb;
}  // namespace x86

// Arm ARM (DDI 0487), chapter D13 and the register descriptions of D19.5.
namespace arm {
inline constexpr std::uint64_t pmcr_enable = 1u << 0;
inline constexpr std::uint64_t pmcr_reset_events = 1u << 1;
inline constexpr std::uint64_t pmcr_reset_cycles = 1u << 2;
inline constexpr std::uint64_t pmcr_long_cycle = 1u << 6;
inline constexpr std::uint64_t pmcr_long_events = 1u << 7;  // FEAT_PMUv3p5
inline constexpr unsigned pmcr_n_shift = 11;
inline constexpr unsigned pmcr_identity_shift = 16;

inline constexpr std::uint64_t type_not_kernel = 1u << 31;  // P
inline constexpr std::uint64_t type_not_user = 1u << 30;    // U
inline constexpr std::uint64_t type_hypervisor = 1u << 27;  // NSH
inline constexpr std::uint64_t type_event = 0xffff;
// A guest without EL2 and EL3 sees NSH, NSK, NSU and M as RES0.
inline constexpr std::uint64_t type_writable = type_not_kernel | type_not_user | type_event;

inline constexpr std::uint64_t user_enable = 1u << 0;     // EN
inline constexpr std::uint64_t user_increment = 1u << 1;  // SW
inline constexpr std::uint64_t user_cycles = 1u << 2;     // CR
inline constexpr std::uint64_t user_events = 1u << 3;     // ER
inline constexpr std::uint64_t user_writable = 0xf;

inline constexpr std::uint16_t event_software_increment = 0x00;
inline constexpr std::uint16_t event_instructions = 0x08;
inline constexpr std::uint16_t event_cycles = 0x11;
inline constexpr std::uint16_t event_chain = 0x1e;
}  // namespace arm

}  // namespace ringside::vpmu
