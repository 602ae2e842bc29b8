// A PMU of any of the three architectures, as hardware: what the lab's CPUs have, and, one for each
// vCPU, the ground truth of the engine's tests. Written from the manuals and independently of
// src/vpmu/arch.h, whose judge it is.
#pragma once

#include <cstdint>
#include <span>

#include "vpmu/hardware.h"
#include "vpmu/registers.h"
#include "vpmu/state.h"

namespace ringside::lab {

using vpmu::Mask;
using vpmu::Mode;
using vpmu::Slot;

constexpr Slot cycle_counter = 31;  // on arm64

// So many events of one kind.
struct Occurrence {
    std::uint16_t select = 0;
    std::uint8_t umask = 0;
    std::uint64_t events = 0;
};

class SimPmu {
  public:
    explicit SimPmu(const vpmu::PmuModel& model);

    // Execution in `mode` in which these events happen.
    void run(Mode mode, std::span<const Occurrence> happened);
    bool interrupt_raised() const { return raised_; }
    // The level of Arm's line, or x86's latched PMI.
    bool interrupt_level() const;

    // A program's own accesses, by the rules of the manuals.
    vpmu::Access program_read(vpmu::Register which, vpmu::Privilege privilege) const;
    vpmu::Outcome program_write(vpmu::Register which, std::uint64_t value,
                                vpmu::Privilege privilege);

    // As ground truth: a denied event never counts, a starved counter does not count, and with
    // `host_is_kernel` the VMM's work counts as the guest kernel's.
    void deny(Mask slots) { denied_ = slots; }
    Mask denied() const { return denied_; }
    void count_host_as_kernel(bool on) { host_is_kernel_ = on; }
    const vpmu::PmuState& state() const { return at_; }

    // vpmu::Hardware: the hypervisor's accesses.
    std::uint64_t read_counter(Slot slot) { return at_.counter[slot]; }
    std::uint64_t read_selector(Slot slot) { return at_.selector[slot]; }
    std::uint64_t read_control() { return at_.control; }
    std::uint64_t read_enable() { return at_.enable; }
    std::uint64_t read_overflow() { return at_.overflow; }
    std::uint64_t read_interrupt_enable() { return at_.interrupt_enable; }
    std::uint64_t read_select() { return at_.select; }
    std::uint64_t read_user_enable() { return at_.user_enable; }
    void write_counter(Slot slot, std::uint64_t value) { at_.counter[slot] = value & masks_[slot]; }
    void write_selector(Slot slot, std::uint64_t value) { at_.selector[slot] = value; }
    void write_control(std::uint64_t value) { at_.control = value; }
    void write_enable(std::uint64_t value) { at_.enable = value & model_.slots(); }
    void write_host_enable(std::uint64_t value) { host_enable_ = value & model_.slots(); }
    void keep_guest_enable(bool on) { keeps_enable_ = on; }
    void set_overflow(std::uint64_t value) { at_.overflow |= value & model_.slots(); }
    void clear_overflow(std::uint64_t value) { at_.overflow &= ~value; }
    void write_interrupt_enable(std::uint64_t value) { at_.interrupt_enable = value; }
    void write_select(std::uint64_t value) { at_.select = value; }
    void write_user_enable(std::uint64_t value) { at_.user_enable = value; }
    bool take_interrupt() {
        const bool raised = raised_ && !held_;
        if (raised) raised_ = false;
        return raised;
    }
    std::uint64_t now_ns() { return now_ns_; }

    void advance_clock(std::uint64_t ns) { now_ns_ += ns; }
    // Does the counter run while the CPU is in `mode`?
    bool runs_in(Mode mode, Slot slot) const;
    // Counters that do.
    Mask running(Mode mode) const;
    // The interrupt is raised but does not reach the handler before the next call.
    void hold_interrupt(bool on) { held_ = on; }

  private:
    Mask enable_in(Mode mode) const;
    bool counts_at(Mode mode, Slot slot) const;
    bool counts_event(Slot slot, const Occurrence& what) const;
    bool asks_interrupt(Slot slot) const;
    unsigned carry_bits(Slot slot) const;
    void bump(Slot slot, std::uint64_t events);
    std::uint64_t nibble(Slot slot) const { return at_.control >> (4 * (slot - 32)) & 0xf; }
    bool is_intel() const { return model_.architecture == vpmu::Architecture::intel; }
    bool is_amd() const { return model_.architecture == vpmu::Architecture::amd; }
    bool is_arm() const { return model_.is_arm(); }

    vpmu::Access arm_read(vpmu::Register which, bool user) const;
    vpmu::Outcome arm_write(vpmu::Register which, std::uint64_t value, bool user);
    vpmu::Outcome x86_write(vpmu::Register which, std::uint64_t value);
    bool arm_refuses(vpmu::Register which, bool user, bool writes) const;

    vpmu::PmuModel model_;
    vpmu::PmuState at_;
    std::uint64_t masks_[vpmu::max_slots] = {};
    Mask host_enable_ = 0;
    Mask denied_ = 0;
    bool host_is_kernel_ = false;
    bool keeps_enable_ = false;
    bool raised_ = false;
    bool held_ = false;
    std::uint64_t now_ns_ = 0;
};

static_assert(vpmu::Hardware<SimPmu>);

}  // namespace ringside::lab
