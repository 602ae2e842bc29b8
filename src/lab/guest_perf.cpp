#include "lab/guest_perf.h"

#include "vpmu/bits.h"

namespace ringside::lab {

using vpmu::Register;
using vpmu::Slot;
using Kind = vpmu::RegisterKind;

GuestPerf::GuestPerf(const vpmu::PmuModel& model, std::vector<EventName> events,
                     std::uint64_t period)
    : model_(model),
      events_(std::move(events)),
      period_(period),
      counted_(events_.size()),
      last_(events_.size()) {}

std::uint64_t GuestPerf::first_value(std::size_t index) const {
    const bool samples = index == 0 && period_ != 0;
    return samples ? (0 - period_) & model_.value_mask(Slot(index)) : 0;
}

std::uint64_t GuestPerf::selector(std::size_t index, bool on) const {
    const vpmu::Event event = encode(model_.architecture, events_[index]);
    if (model_.is_arm()) return event.select;
    const bool samples = index == 0 && period_ != 0;
    return event.select | std::uint64_t{event.umask} << 8 | vpmu::x86::select_user |
           vpmu::x86::select_kernel | (samples ? vpmu::x86::select_interrupt : 0) |
           (on ? vpmu::x86::select_enable : 0);
}

Register GuestPerf::counter_read(std::size_t index) const {
    return {model_.is_arm() ? Kind::counter : Kind::counter_read, Slot(index)};
}

// x86: counter, then selector, then the global enable (amd_pmu_v2_enable_all). arm64: type,
// counter, interrupt, enable, then PMCR.E (armv8pmu_enable_event, armv8pmu_start).
void GuestPerf::start(const Write& write) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const auto slot = Slot(i);
        last_[i] = first_value(i);
        if (model_.is_arm()) {
            write({Kind::selector, slot}, selector(i, true));
            write({Kind::counter, slot}, last_[i]);
            if (i == 0 && period_ != 0) write({Kind::interrupt_set, 0}, vpmu::bit(slot));
            write({Kind::enable_set, 0}, vpmu::bit(slot));
        } else {
            write({Kind::counter, slot}, last_[i]);
            write({Kind::selector, slot}, selector(i, true));
        }
    }
    if (model_.is_arm()) {
        write({Kind::control, 0}, vpmu::arm::pmcr_enable);
    } else {
        write({Kind::enable, 0}, model_.general);
    }
}

void GuestPerf::stop(const Write& write) {
    if (!model_.is_arm()) write({Kind::enable, 0}, 0);
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const auto slot = Slot(i);
        if (model_.is_arm()) {
            write({Kind::enable_clear, 0}, vpmu::bit(slot));
        } else {
            write({Kind::selector, slot}, selector(i, false));
        }
    }
}

void GuestPerf::read(const Read& read) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const std::uint64_t now = read(counter_read(i));
        counted_[i] += (now - last_[i]) & model_.value_mask(Slot(i));
        last_[i] = now;
    }
}

// The value after the wrap is the skid; it is kept, so that no event is lost to the re-arming.
void GuestPerf::interrupt(const Read& read, const Write& write) {
    const Register status{model_.is_arm() ? Kind::overflow_clear : Kind::status, 0};
    const std::uint64_t overflowed = read(status);
    write({model_.is_arm() ? Kind::overflow_clear : Kind::status_clear, 0}, overflowed);
    if ((overflowed & 1) == 0) return;
    ++samples_;
    const std::uint64_t mask = model_.value_mask(0);
    const std::uint64_t now = read(counter_read(0));
    counted_[0] += (now - last_[0]) & mask;
    last_[0] = (now - period_) & mask;
    write({Kind::counter, 0}, last_[0]);
}

}  // namespace ringside::lab
