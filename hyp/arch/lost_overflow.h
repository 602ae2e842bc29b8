// Erratum: lost overflow interrupts. QEMU's PMU (7.2, any CPU model) sets a timer for the moment
// when an event counter reaches its last value, not when it wraps, and does not set it again: the
// interrupt comes only with the next access to the PMU. The cure is a spare counter on the same
// event, one event behind: its own timer makes QEMU look again just when the first one has wrapped.
// Half of the event counters are spares then, and guests are promised only the other half. A guest
// that has the registers in its own hands cannot be cured, and could reach the spares: none then.
#pragma once

#include "vpmu/hardware.h"

namespace ringside::hyp {

// QEMU's own CPU model has no implementer (MIDR_EL1[31:24] = 0, reserved for software).
constexpr bool loses_overflows(std::uint64_t midr) {
    return (midr >> 24 & 0xff) == 0;
}

// What is left of `model` to be promised.
constexpr vpmu::PmuModel without_spares(vpmu::PmuModel model) {
    model.general = vpmu::low_bits(model.general_count() / 2);
    return model;
}

// A vpmu::Hardware around another one. Slot n has its spare at n + `promised`; with 0 promised
// counters there are no spares, and everything passes unchanged.
template <vpmu::Hardware Hw>
class SpareCounters {
  public:
    SpareCounters(Hw& hw, unsigned promised)
        : hw_(hw), promised_(promised), spared_(vpmu::low_bits(promised)) {}

    std::uint64_t read_counter(vpmu::Slot slot) { return hw_.read_counter(slot); }
    std::uint64_t read_selector(vpmu::Slot slot) { return hw_.read_selector(slot); }
    std::uint64_t read_control() { return hw_.read_control(); }
    std::uint64_t read_enable() { return shown(hw_.read_enable()); }
    std::uint64_t read_overflow() { return shown(hw_.read_overflow()); }
    std::uint64_t read_interrupt_enable() { return shown(hw_.read_interrupt_enable()); }
    std::uint64_t read_select() { return hw_.read_select(); }
    std::uint64_t read_user_enable() { return hw_.read_user_enable(); }
    void write_counter(vpmu::Slot slot, std::uint64_t value) {
        hw_.write_counter(slot, value);
        if (has_spare(slot)) hw_.write_counter(slot + promised_, value - 1);
    }
    void write_selector(vpmu::Slot slot, std::uint64_t value) {
        hw_.write_selector(slot, value);
        if (has_spare(slot)) hw_.write_selector(slot + promised_, value);
    }
    void write_control(std::uint64_t value) { hw_.write_control(value); }
    void write_enable(std::uint64_t value) {
        hw_.write_enable(value | (value & spared_) << promised_);
    }
    void write_host_enable(std::uint64_t value) { hw_.write_host_enable(value); }
    void keep_guest_enable(bool on) { hw_.keep_guest_enable(on); }
    void set_overflow(std::uint64_t value) { hw_.set_overflow(value); }
    void clear_overflow(std::uint64_t value) {
        hw_.clear_overflow(value | (value & spared_) << promised_);
    }
    void write_interrupt_enable(std::uint64_t value) { hw_.write_interrupt_enable(value); }
    void write_select(std::uint64_t value) { hw_.write_select(value); }
    void write_user_enable(std::uint64_t value) { hw_.write_user_enable(value); }
    bool take_interrupt() { return hw_.take_interrupt(); }
    std::uint64_t now_ns() { return hw_.now_ns(); }

  private:
    bool has_spare(vpmu::Slot slot) const { return slot < promised_; }
    std::uint64_t shown(std::uint64_t mask) const { return mask & ~(spared_ << promised_); }

    Hw& hw_;
    unsigned promised_;
    vpmu::Mask spared_;
};

}  // namespace ringside::hyp
