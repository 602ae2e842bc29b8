// What a PMU is, as data: one description serves for the host's hardware and for what a guest was
// promised. The functions below make the ones the manuals allow.
#pragma once

#include "vpmu/types.h"

namespace ringside::vpmu {

struct PmuModel {
    Architecture architecture = Architecture::intel;
    std::uint8_t version = 0;     // CPUID.0AH:EAX[7:0], PerfMonV2 = 2, or ID_AA64DFR0.PMUVer
    std::uint8_t width_bits = 0;  // of a general counter
    std::uint8_t fixed_width_bits = 0;
    Mask general = 0;
    Mask fixed = 0;
    std::uint64_t event_ids = 0;  // Arm: PMCEID1:PMCEID0, events 0x00 to 0x3f, 32 bits each
    std::uint16_t identity = 0;   // Arm: PMCR_EL0.IMP and IDCODE, who made it

    constexpr Mask slots() const { return general | fixed; }
    constexpr bool has(Slot slot) const { return slot < 64 && (slots() >> slot & 1) != 0; }
    constexpr bool is_fixed(Slot slot) const { return (fixed >> slot & 1) != 0; }
    constexpr unsigned general_count() const { return count_bits(general); }
    constexpr unsigned fixed_count() const { return count_bits(fixed); }
    constexpr std::uint64_t value_mask(Slot slot) const {
        return low_bits(is_fixed(slot) ? fixed_width_bits : width_bits);
    }
    // Intel's fixed counters are chosen by FIXED_CTR_CTRL; every other counter has a selector.
    constexpr Mask selectable() const {
        return architecture == Architecture::intel ? general : slots();
    }
    constexpr bool is_arm() const { return architecture == Architecture::arm64; }
    // FIXED_CTR_CTRL or PMCR_EL0; AMD has neither.
    constexpr bool has_control() const { return architecture != Architecture::amd; }

    constexpr bool operator==(const PmuModel&) const = default;
};

// Intel architectural performance monitoring. Version 4 brought GLOBAL_STATUS_SET.
constexpr PmuModel intel_perfmon(unsigned general, unsigned fixed, unsigned version = 5,
                                 unsigned width_bits = 48) {
    return {.architecture = Architecture::intel,
            .version = std::uint8_t(version),
            .width_bits = std::uint8_t(width_bits),
            .fixed_width_bits = std::uint8_t(width_bits),
            .general = low_bits(general),
            .fixed = low_bits(fixed) << first_intel_fixed};
}

// AMD PerfMonV2 (APM vol. 2, 13.2): core counters only, all 48 bits wide.
constexpr PmuModel amd_perfmon_v2(unsigned general = 6) {
    return {.architecture = Architecture::amd,
            .version = 2,
            .width_bits = 48,
            .fixed_width_bits = 48,
            .general = low_bits(general)};
}

// Arm PMUv3. Version 6 is PMUv3p5, whose event counters have 64 bits. SW_INCR, instructions,
// cycles and CHAIN are advertised, the events every counter test of a guest asks for.
constexpr PmuModel arm_pmuv3(unsigned general, unsigned version = 1) {
    return {.architecture = Architecture::arm64,
            .version = std::uint8_t(version),
            .width_bits = std::uint8_t(version >= 6 ? 64 : 32),
            .fixed_width_bits = 64,
            .general = low_bits(general),
            .fixed = bit(arm_cycle_slot),
            .event_ids = bit(0x00) | bit(0x08) | bit(0x11) | bit(0x1e)};
}

// Could such a PMU exist? Bounds of the manuals and of our arrays.
constexpr bool is_possible(const PmuModel& model) {
    const unsigned most_general = model.is_arm()                            ? 31
                                  : model.architecture == Architecture::amd ? 16
                                                                            : 8;
    const unsigned most_fixed = model.architecture == Architecture::intel ? 4
                                : model.is_arm()                          ? 1
                                                                          : 0;
    return model.general == low_bits(model.general_count()) &&
           model.general_count() <= most_general && model.fixed_count() <= most_fixed &&
           model.slots() != 0 && model.width_bits >= 32 && model.width_bits <= 64;
}

}  // namespace ringside::vpmu
