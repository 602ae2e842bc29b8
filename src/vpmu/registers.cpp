#include "vpmu/registers.h"

namespace ringside::vpmu {

namespace {

using Kind = RegisterKind;

// `count` registers from `first`, `stride` apart, for the slots from `slot` on. Those beyond the
// model's counters do not exist in it.
struct MsrRange {
    std::uint32_t first;
    std::uint8_t count;
    std::uint8_t stride;
    Kind kind;
    Slot slot;
};

// SDM vol. 4, table 2-2.
constexpr MsrRange intel_msrs[] = {
    {0x0c1, 8, 1, Kind::counter_low, 0}, {0x4c1, 8, 1, Kind::counter, 0},
    {0x186, 8, 1, Kind::selector, 0},    {0x309, 4, 1, Kind::counter, first_intel_fixed},
    {0x38d, 1, 1, Kind::control, 0},     {0x38e, 1, 1, Kind::status, 0},
    {0x38f, 1, 1, Kind::enable, 0},      {0x390, 1, 1, Kind::status_clear, 0},
    {0x391, 1, 1, Kind::status_set, 0},
};

// APM vol. 2, appendix A: the four K7 registers are aliases of the first four core counters.
constexpr MsrRange amd_msrs[] = {
    {0xc0010000, 4, 1, Kind::selector, 0},     {0xc0010004, 4, 1, Kind::counter, 0},
    {0xc0010200, 16, 2, Kind::selector, 0},    {0xc0010201, 16, 2, Kind::counter, 0},
    {0xc0000300, 1, 1, Kind::status, 0},       {0xc0000301, 1, 1, Kind::enable, 0},
    {0xc0000302, 1, 1, Kind::status_clear, 0}, {0xc0000303, 1, 1, Kind::status_set, 0},
};

struct SysregName {
    std::uint16_t encoding;
    Kind kind;
    Slot slot;
};

// Arm ARM, D19.5.
constexpr SysregName arm_sysregs[] = {
    {sysreg(3, 3, 9, 12, 0), Kind::control, 0},
    {sysreg(3, 3, 9, 12, 1), Kind::enable_set, 0},
    {sysreg(3, 3, 9, 12, 2), Kind::enable_clear, 0},
    {sysreg(3, 3, 9, 12, 3), Kind::overflow_clear, 0},
    {sysreg(3, 3, 9, 12, 4), Kind::software_increment, 0},
    {sysreg(3, 3, 9, 12, 5), Kind::select, 0},
    {sysreg(3, 3, 9, 12, 6), Kind::event_id_low, 0},
    {sysreg(3, 3, 9, 12, 7), Kind::event_id_high, 0},
    {sysreg(3, 3, 9, 13, 0), Kind::counter, arm_cycle_slot},
    {sysreg(3, 3, 9, 13, 1), Kind::selected_selector, 0},
    {sysreg(3, 3, 9, 13, 2), Kind::selected_counter, 0},
    {sysreg(3, 3, 9, 14, 0), Kind::user_enable, 0},
    {sysreg(3, 0, 9, 14, 1), Kind::interrupt_set, 0},
    {sysreg(3, 0, 9, 14, 2), Kind::interrupt_clear, 0},
    {sysreg(3, 3, 9, 14, 3), Kind::overflow_set, 0},
};

bool is_per_counter(Kind kind) {
    return kind == Kind::counter || kind == Kind::counter_low || kind == Kind::selector;
}

Register if_implemented(const PmuModel& model, Kind kind, Slot slot) {
    if (is_per_counter(kind) && !model.has(slot)) return {};
    return {kind, slot};
}

template <std::size_t size>
Register find(const PmuModel& model, const MsrRange (&ranges)[size], std::uint32_t msr) {
    for (const MsrRange& range : ranges) {
        const std::uint32_t offset = msr - range.first;
        if (msr < range.first || offset % range.stride != 0) continue;
        const std::uint32_t index = offset / range.stride;
        if (index < range.count) return if_implemented(model, range.kind, range.slot + index);
    }
    return {};
}

}  // namespace

Register decode_msr(const PmuModel& model, std::uint32_t msr) {
    if (model.architecture == Architecture::amd) return find(model, amd_msrs, msr);
    if (model.architecture != Architecture::intel) return {};
    const Register found = find(model, intel_msrs, msr);
    const bool too_new = found.kind == Kind::status_set && model.version < 4;
    return too_new ? Register{} : found;
}

// SDM vol. 2, RDPMC: ECX[30] chooses the fixed counters.
Register decode_rdpmc(const PmuModel& model, std::uint32_t index) {
    constexpr std::uint32_t fixed_bit = 1u << 30;
    if (model.is_arm()) return {};
    const bool fixed = (index & fixed_bit) != 0;
    if ((index & ~fixed_bit) >= first_intel_fixed) return {};
    const Slot slot = (index & ~fixed_bit) + (fixed ? first_intel_fixed : 0);
    return model.has(slot) ? Register{Kind::counter_read, slot} : Register{};
}

Register decode_sysreg(const PmuModel& model, std::uint16_t encoding) {
    if (!model.is_arm()) return {};
    for (const SysregName& name : arm_sysregs) {
        if (name.encoding == encoding) return {name.kind, name.slot};
    }
    // PMEVCNTR<n> is CRm 0b10:n[4:3], PMEVTYPER<n> CRm 0b11:n[4:3]; PMEVTYPER31 is PMCCFILTR.
    constexpr std::uint16_t first_counter = sysreg(3, 3, 14, 8, 0);
    const unsigned offset = unsigned(encoding) - first_counter;
    if (encoding < first_counter || offset >= 64) return {};
    const Slot slot = offset % 32;
    if (offset >= 32) return if_implemented(model, Kind::selector, slot);
    return slot == arm_cycle_slot ? Register{} : if_implemented(model, Kind::counter, slot);
}

}  // namespace ringside::vpmu
