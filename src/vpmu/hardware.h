// What a backend supplies: one CPU's PMU registers, its interrupt, and a clock. Registers<> counts
// every move and remembers what the hardware holds, so that a policy can avoid a move.
#pragma once

#include <concepts>

#include "vpmu/model.h"
#include "vpmu/state.h"

namespace ringside::vpmu {

// Only Intel has write_host_enable: VM entry and exit load IA32_PERF_GLOBAL_CTRL from the VMCS, so
// that guest and host have one each. AMD gates by GuestOnly/HostOnly in the selectors, Arm by
// NSH, P and U; write_enable is then the only enable register.
// interrupt_enable, select and user_enable exist only on Arm, control not on AMD.
template <typename H>
concept Hardware = requires(H& hw, Slot slot, std::uint64_t value) {
    { hw.read_counter(slot) } -> std::same_as<std::uint64_t>;
    { hw.read_selector(slot) } -> std::same_as<std::uint64_t>;
    { hw.read_control() } -> std::same_as<std::uint64_t>;
    { hw.read_enable() } -> std::same_as<std::uint64_t>;
    { hw.read_overflow() } -> std::same_as<std::uint64_t>;
    { hw.read_interrupt_enable() } -> std::same_as<std::uint64_t>;
    { hw.read_select() } -> std::same_as<std::uint64_t>;
    { hw.read_user_enable() } -> std::same_as<std::uint64_t>;
    hw.write_counter(slot, value);
    hw.write_selector(slot, value);
    hw.write_control(value);
    hw.write_enable(value);
    hw.write_host_enable(value);
    // Intel: VM exit leaves the guest's enable in force instead of loading the host's (VM-exit
    // control 12 off). Nothing elsewhere.
    hw.keep_guest_enable(true);
    hw.set_overflow(value);
    hw.clear_overflow(value);
    hw.write_interrupt_enable(value);
    hw.write_select(value);
    hw.write_user_enable(value);
    // Has the PMU raised its interrupt since the last call? An x86 PMI is an edge and lives in the
    // handler's flag; on Arm always false, because there the interrupt is a level.
    { hw.take_interrupt() } -> std::same_as<bool>;
    { hw.now_ns() } -> std::same_as<std::uint64_t>;
};

struct Moves {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;

    constexpr std::uint64_t total() const { return reads + writes; }
};

template <Hardware Hw>
class Registers {
  public:
    Registers(Hw& hw, const PmuModel& model) : hw_(hw), model_(model) {}

    const PmuModel& model() const { return model_; }
    const Moves& moves() const { return moves_; }

    std::uint64_t counter(Slot slot) {
        return held_.counter[slot] = counted(hw_.read_counter(slot));
    }
    std::uint64_t selector(Slot slot) {
        return held_.selector[slot] = counted(hw_.read_selector(slot));
    }
    std::uint64_t control() { return held_.control = counted(hw_.read_control()); }
    Mask enable() { return held_.enable = counted(hw_.read_enable()); }
    Mask overflow() { return held_.overflow = counted(hw_.read_overflow()); }
    Mask interrupt_enable() {
        return held_.interrupt_enable = counted(hw_.read_interrupt_enable());
    }
    std::uint64_t select() { return held_.select = counted(hw_.read_select()); }
    std::uint64_t user_enable() { return held_.user_enable = counted(hw_.read_user_enable()); }

    void set_counter(Slot slot, std::uint64_t value) {
        hw_.write_counter(slot, held_.counter[slot] = value);
        ++moves_.writes;
    }
    void set_selector(Slot slot, std::uint64_t value) {
        hw_.write_selector(slot, held_.selector[slot] = value);
        ++moves_.writes;
    }
    void set_control(std::uint64_t value) {
        hw_.write_control(held_.control = value);
        ++moves_.writes;
    }
    void set_enable(Mask value) {
        hw_.write_enable(held_.enable = value);
        ++moves_.writes;
    }
    void set_host_enable(Mask value) {
        hw_.write_host_enable(host_enable_ = value);
        ++moves_.writes;
    }
    void keep_guest_enable(bool on) { hw_.keep_guest_enable(on); }
    // Makes the overflow bits `wanted`, knowing they are `now`.
    void change_overflow(Mask now, Mask wanted) {
        if ((wanted & ~now) != 0) {
            hw_.set_overflow(wanted & ~now);
            ++moves_.writes;
        }
        if ((now & ~wanted) != 0) {
            hw_.clear_overflow(now & ~wanted);
            ++moves_.writes;
        }
        held_.overflow = wanted;
    }
    void set_interrupt_enable(Mask value) {
        hw_.write_interrupt_enable(held_.interrupt_enable = value);
        ++moves_.writes;
    }
    void set_select(std::uint64_t value) {
        hw_.write_select(held_.select = value);
        ++moves_.writes;
    }
    void set_user_enable(std::uint64_t value) {
        hw_.write_user_enable(held_.user_enable = value);
        ++moves_.writes;
    }

    // A switch moves many registers at once; they are counted together. Counters are written only
    // where they differ from what is read, selectors always, as KVM does it.
    void load_counters(Mask slots, const std::uint64_t* counters, const std::uint64_t* selectors) {
        unsigned read = 0;
        unsigned written = 0;
        const auto load_counter = [&](Slot slot) {
            ++read;
            held_.counter[slot] = counters[slot];
            if (hw_.read_counter(slot) == counters[slot]) return;
            hw_.write_counter(slot, counters[slot]);
            ++written;
        };
        const Mask with_selector = slots & model_.selectable();
        for_each_slot(with_selector, [&](Slot slot) {
            load_counter(slot);
            hw_.write_selector(slot, held_.selector[slot] = selectors[slot]);
            ++written;
        });
        for_each_slot(slots & ~with_selector, load_counter);
        moves_.reads += read;
        moves_.writes += written;
    }
    // Reads the counters and leaves zeros, as KVM does it.
    void put_counters(Mask slots, std::uint64_t* counters) {
        unsigned read = 0;
        unsigned written = 0;
        const auto put_counter = [&](Slot slot) {
            ++read;
            held_.counter[slot] = 0;
            counters[slot] = hw_.read_counter(slot);
            if (counters[slot] == 0) return;
            hw_.write_counter(slot, 0);
            ++written;
        };
        const Mask with_selector = slots & model_.selectable();
        for_each_slot(with_selector, [&](Slot slot) {
            put_counter(slot);
            if (held_.selector[slot] == 0) return;
            hw_.write_selector(slot, held_.selector[slot] = 0);
            ++written;
        });
        for_each_slot(slots & ~with_selector, put_counter);
        moves_.reads += read;
        moves_.writes += written;
    }

    void reset() {
        set_enable(0);
        if (model_.architecture == Architecture::intel) set_host_enable(0);
        keep_guest_enable(false);
        for_each_slot(model_.slots(), [&](Slot slot) { set_counter(slot, 0); });
        for_each_slot(model_.selectable(), [&](Slot slot) { set_selector(slot, 0); });
        if (model_.has_control()) set_control(0);
        if (model_.is_arm()) set_interrupt_enable(0);
        change_overflow(overflow(), 0);
        (void)take_interrupt();
        moves_ = {};
    }

    bool take_interrupt() { return hw_.take_interrupt(); }
    std::uint64_t now_ns() { return hw_.now_ns(); }

    // What the hardware holds, as of the last move. A running counter has moved on since.
    const PmuState& held() const { return held_; }
    Mask host_enable() const { return host_enable_; }

  private:
    std::uint64_t counted(std::uint64_t value) {
        ++moves_.reads;
        return value;
    }

    Hw& hw_;
    const PmuModel& model_;
    Moves moves_;
    PmuState held_;
    Mask host_enable_ = 0;
};

}  // namespace ringside::vpmu
