// The host's events on one CPU's counters: carries out what HostEvents::plan() decides, keeps the
// counts, and lets a guest counter stand behind an event (legacy policy).
#pragma once

#include "vpmu/hardware.h"
#include "vpmu/host_events.h"
#include "vpmu/vm.h"
#include "vpmu/world_switch.h"

namespace ringside::vpmu {

// The selector (or the FIXED_CTR_CTRL nibble) for a host event. Host events always interrupt, so
// that no counter wraps unseen.
std::uint64_t host_selector(const PmuModel& model, const HostEventRequest& request, Slot slot);

// The value from which the hardware overflows after `distance` events; 0 stands for 2^64.
std::uint64_t preset(unsigned hardware_bits, std::uint64_t distance);

template <Hardware Hw>
class HostCounters {
  public:
    explicit HostCounters(Registers<Hw>& hw) : hw_(hw), since_ns_(hw.now_ns()) {}

    const HostEvents& events() const { return events_; }
    const PmuModel& model() const { return hw_.model(); }
    std::uint64_t now_ns() { return hw_.now_ns(); }
    bool on_hardware() const { return on_hardware_; }

    // Hands the counters to the host's events and back. Time does not pass for events that are out.
    void resume(TaskId task) {
        if (!out_ && task == task_) return;  // nothing changed hands
        pass_time();
        task_ = task;
        out_ = false;
        if (!events_.is_empty()) place();
    }
    void suspend() {
        if (out_) return;
        pass_time();
        out_ = true;
        if (!touched_) return;
        touched_ = false;
        set_enables(hw_, 0, 0);
        for_each_slot(held_, [&](Slot slot) { leave(slot); });
        held_ = 0;
        on_hardware_ = false;
        // An overflow or an interrupt of ours must not look like the guest's.
        hw_.change_overflow(hw_.overflow(), 0);
        (void)hw_.take_interrupt();
    }

    // Enabled at once. no_event if the table is full, or the request can never be met.
    EventId add(const HostEventRequest& request) {
        pass_time();
        const EventId id = events_.add(request);
        if (id == no_event) return id;
        events_.enable(id);
        replan();
        return id;
    }
    // Lifts an error, as perf's enable does.
    void enable(EventId id) {
        pass_time();
        events_.enable(id);
        replan();
    }
    void disable(EventId id) {
        sync();
        events_.disable(id);
        replan();
    }
    void rotate() {
        events_.rotate();
        replan();
    }
    // After back() and forget(): who holds what from now on.
    void replan() {
        pass_time();
        if (!out_) place();
    }

    // Brings every count up to date.
    void sync() {
        pass_time();
        for_each_slot(held_, [&](Slot slot) { sync_slot(slot); });
    }

    // The PMU's interrupt: brings the overflowed counters up to date and arms them again.
    void service_overflow() {
        const Mask overflowed = hw_.overflow() & held_;
        if (overflowed == 0) return;
        const Paused pause(hw_);
        for_each_slot(overflowed, [&](Slot slot) {
            sync_slot(slot);
            arm(slot);
        });
        hw_.change_overflow(hw_.held().overflow, hw_.held().overflow & ~overflowed);
    }

    // An event that counts for a guest's counter; replan() gives it one of the hardware's.
    EventId back(Vcpu& vcpu, Slot slot, const HostEventRequest& request) {
        pass_time();
        const EventId id = events_.add(request);
        if (id == no_event) return id;
        backed_[id] = &vcpu;
        backed_slot_[id] = slot;
        events_.enable(id);
        return id;
    }
    // Its count is brought up to date first; replan() gives its counter away.
    void forget(EventId id) {
        pass_time();
        for_each_slot(held_, [&](Slot slot) {
            if (plan_.occupant[slot] == id) release(slot);
        });
        events_.remove(id);
        backed_[id] = nullptr;
        orphans_ = true;
    }
    // The guest wrote the counter behind this event.
    void rearm(EventId id) {
        for_each_slot(held_, [&](Slot slot) {
            if (plan_.occupant[slot] != id || last_[slot] == starting_value(slot)) return;
            const Paused pause(hw_);
            arm(slot);
        });
    }

  private:
    unsigned hardware_bits(Slot slot) const {
        if (model().is_arm()) return slot == arm_cycle_slot ? 64 : 32;
        return model().is_fixed(slot) ? model().fixed_width_bits : model().width_bits;
    }

    void pass_time() {
        const std::uint64_t now_ns = hw_.now_ns();
        if (!out_) events_.pass_time(now_ns - since_ns_, task_);
        since_ns_ = now_ns;
    }

    void sync_slot(Slot slot) {
        const EventId id = plan_.occupant[slot];
        const std::uint64_t before = last_[slot];
        last_[slot] = hw_.counter(slot);
        const std::uint64_t counted = (last_[slot] - before) & low_bits(hardware_bits(slot));
        if (counted == 0) return;
        HostEvent& event = events_.at(id);
        event.count += counted;
        if (backed_[id] != nullptr) return count_for_guest(*backed_[id], backed_slot_[id], counted);
        if (event.request.period == 0) return;
        if (counted < event.left) {
            event.left -= counted;
            return;
        }
        const std::uint64_t past = counted - event.left;
        event.overflows += 1 + past / event.request.period;
        event.left = event.request.period - past % event.request.period;
    }

    void count_for_guest(Vcpu& vcpu, Slot slot, std::uint64_t counted) {
        const Mask overflowed = advance(vcpu.model(), vcpu.guest, slot, counted);
        const Mask asked = overflowed & interrupting(vcpu.model(), vcpu.guest);
        if (asked == 0) return;
        vcpu.interrupt_pending = true;
        const unsigned bits = overflow_bits(vcpu.model(), vcpu.guest, slot);
        vcpu.skid.add(vcpu.guest.counter[slot] & low_bits(bits));
    }

    // The value from which the counter overflows when its event, or the guest counter behind it,
    // does.
    std::uint64_t starting_value(Slot slot) const {
        const EventId id = plan_.occupant[slot];
        const HostEvent& event = events_.at(id);
        std::uint64_t distance = event.request.period == 0 ? 0 : event.left;
        if (const Vcpu* vcpu = backed_[id]; vcpu != nullptr) {
            const Slot guest_slot = backed_slot_[id];
            const unsigned bits = overflow_bits(vcpu->model(), vcpu->guest, guest_slot);
            const std::uint64_t value = vcpu->guest.counter[guest_slot];
            distance = (low_bits(bits) - (value & low_bits(bits))) + 1;
        }
        return preset(hardware_bits(slot), distance);
    }

    // An event that only counts can start from whatever value the stopped counter holds.
    void arm(Slot slot) {
        const EventId id = plan_.occupant[slot];
        const bool only_counts = events_.at(id).request.period == 0 && backed_[id] == nullptr;
        last_[slot] = only_counts ? hw_.held().counter[slot] : starting_value(slot);
        if (hw_.held().counter[slot] != last_[slot]) hw_.set_counter(slot, last_[slot]);
    }

    void leave(Slot slot) {
        sync_slot(slot);
        plan_.occupant[slot] = no_event;
    }
    void release(Slot slot) {
        leave(slot);
        held_ &= ~bit(slot);
    }

    bool is_intel_fixed(Slot slot) const {
        return model().architecture == Architecture::intel && model().is_fixed(slot);
    }

    // Moves only what changes: events that stay where they are keep their counters.
    void place() {
        const Plan next = events_.plan(model().slots(), task_);
        Mask occupied = 0;
        Mask moving = 0;
        for_each_slot(model().slots(), [&](Slot slot) {
            if (next.occupant[slot] != no_event) occupied |= bit(slot);
            if (plan_.occupant[slot] != next.occupant[slot]) moving |= bit(slot);
        });
        if (moving == 0 && !orphans_) return;
        orphans_ = false;
        set_enables(hw_, 0, 0);
        for_each_slot(moving & held_, [&](Slot slot) { release(slot); });
        start(next, occupied);
    }

    void start(const Plan& next, Mask occupied) {
        Mask in_guest = 0;
        Mask in_host = 0;
        std::uint64_t control = model().is_arm() ? arm::pmcr_enable | arm::pmcr_long_cycle : 0;
        for_each_slot(occupied, [&](Slot slot) {
            const HostEventRequest& request = events_.at(next.occupant[slot]).request;
            const std::uint64_t selector = host_selector(model(), request, slot);
            const bool arrives = plan_.occupant[slot] != next.occupant[slot];
            plan_.occupant[slot] = next.occupant[slot];
            if (is_intel_fixed(slot)) {
                control |= selector << (4 * (slot - first_intel_fixed));
            } else if (hw_.held().selector[slot] != selector) {
                hw_.set_selector(slot, selector);
            }
            if (arrives) arm(slot);
            if (request.in_guest) in_guest |= bit(slot);
            if (request.in_host) in_host |= bit(slot);
        });
        held_ = occupied;
        on_hardware_ = occupied != 0;
        touched_ = true;
        finish(in_guest, in_host, control);
    }

    void finish(Mask in_guest, Mask in_host, std::uint64_t control) {
        if (on_hardware_ && model().has_control() && hw_.held().control != control) {
            hw_.set_control(control);
        }
        if (on_hardware_ && model().is_arm() && hw_.held().interrupt_enable != held_) {
            hw_.set_interrupt_enable(held_);
        }
        set_enables(hw_, in_guest, in_host);
    }

    Registers<Hw>& hw_;
    HostEvents events_;
    Plan plan_;
    Mask held_ = 0;
    TaskId task_ = whole_cpu;
    bool out_ = false;
    bool on_hardware_ = false;
    bool touched_ = false;  // events counted since the last suspend(), even if none is left
    bool orphans_ = false;  // a counter still runs for an event that is gone
    std::uint64_t since_ns_;
    std::uint64_t last_[max_slots] = {};
    Vcpu* backed_[max_host_events] = {};
    Slot backed_slot_[max_host_events] = {};
};

}  // namespace ringside::vpmu
