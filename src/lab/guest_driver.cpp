#include "lab/guest_driver.h"

#include "vpmu/bits.h"

namespace ringside::lab {

namespace {

using Kind = vpmu::RegisterKind;
namespace x86 = vpmu::x86;
namespace arm = vpmu::arm;

// Both x86 vendors: counter, then selector; values by RDPMC.
class X86Driver : public GuestDriver {
  public:
    explicit X86Driver(const vpmu::PmuModel& model) : model_(model) {}

    void start(PmuPort& port, Slot slot, const vpmu::Event& event,
               std::uint64_t distance) override {
        set_distance(port, slot, distance);
        // perf lets every counter interrupt
        selector_[slot] = selector_bits(model_, event) | x86::select_interrupt;
        port.write({Kind::selector, slot}, selector_[slot] | x86::select_enable);
    }
    std::uint64_t read(PmuPort& port, Slot slot) override {
        return port.read({Kind::counter_read, slot});
    }
    void set_distance(PmuPort& port, Slot slot, std::uint64_t distance) override {
        port.write({Kind::counter, slot}, reading_at(distance));
    }
    std::uint64_t reading_at(std::uint64_t distance) const override {
        return (0 - distance) & value_mask();
    }
    std::uint64_t value_mask() const override { return vpmu::low_bits(model_.width_bits); }

  protected:
    vpmu::PmuModel model_;
    std::uint64_t selector_[vpmu::max_slots] = {};
};

// amd/core.c with PerfMonV2: a stopped counter's overflow is waited for by reading the global
// status, once for each counter when all are stopped and once more when one is.
class AmdDriver final : public X86Driver {
  public:
    using X86Driver::X86Driver;

    void disable_all(PmuPort& port, Mask active) override {
        port.write({Kind::enable, 0}, 0);
        vpmu::for_each_slot(active, [&](Slot) { port.read({Kind::status, 0}); });
    }
    void enable_all(PmuPort& port, Mask) override { port.write({Kind::enable, 0}, model_.general); }
    void stop(PmuPort& port, Slot slot) override {
        port.write({Kind::selector, slot}, selector_[slot]);
        port.read({Kind::status, 0});
    }
    Mask begin_interrupt(PmuPort& port) override {
        port.write({Kind::enable, 0}, 0);
        return port.read({Kind::status, 0});
    }
    void end_interrupt(PmuPort& port, Mask overflowed, Mask active) override {
        if (overflowed != 0) port.write({Kind::status_clear, 0}, overflowed);
        enable_all(port, active);
    }
    bool handler_reads_all() const override { return true; }
};

// intel/core.c: fixed counters are chosen by one control register, written when all are enabled.
class IntelDriver final : public X86Driver {
  public:
    using X86Driver::X86Driver;

    void disable_all(PmuPort& port, Mask) override { port.write({Kind::enable, 0}, 0); }
    void enable_all(PmuPort& port, Mask) override {
        if (control_ != written_control_) port.write({Kind::control, 0}, control_);
        written_control_ = control_;
        port.write({Kind::enable, 0}, model_.slots());
    }
    void start(PmuPort& port, Slot slot, const vpmu::Event& event,
               std::uint64_t distance) override {
        if (!model_.is_fixed(slot)) return X86Driver::start(port, slot, event, distance);
        set_distance(port, slot, distance);
        control_ = (control_ & ~nibble(slot, 0xf)) |
                   nibble(slot, x86::fixed_interrupt | (event.user ? x86::fixed_user : 0) |
                                    (event.kernel ? x86::fixed_kernel : 0));
    }
    void stop(PmuPort& port, Slot slot) override {
        if (model_.is_fixed(slot)) {
            control_ &= ~nibble(slot, 0xf);
        } else {
            port.write({Kind::selector, slot}, selector_[slot]);
        }
    }
    Mask begin_interrupt(PmuPort& port) override {
        port.write({Kind::enable, 0}, 0);
        const Mask overflowed = port.read({Kind::status, 0});
        if (overflowed != 0) port.write({Kind::status_clear, 0}, overflowed);
        return overflowed;
    }
    void end_interrupt(PmuPort& port, Mask overflowed, Mask active) override {
        if (overflowed != 0) port.read({Kind::status, 0});  // something new meanwhile?
        enable_all(port, active);
    }

  private:
    static std::uint64_t nibble(Slot slot, std::uint64_t value) {
        return value << (4 * (slot - vpmu::first_intel_fixed));
    }
    std::uint64_t control_ = 0;
    std::uint64_t written_control_ = 0;
};

// arm64: PMCR is read before each write. The cycle counter has 64 bits and is made to overflow as
// if it had 32, by ones in its upper half.
class ArmDriver final : public GuestDriver {
  public:
    explicit ArmDriver(const vpmu::PmuModel& model) : model_(model) {}

    void boot(PmuPort& port) override {
        port.write({Kind::user_enable, 0}, 0);
        port.read({Kind::control, 0});
        port.read({Kind::event_id_low, 0});
        port.read({Kind::event_id_high, 0});
        port.write({Kind::enable_clear, 0}, 0xffffffff);
        port.write({Kind::interrupt_clear, 0}, 0xffffffff);
        port.write({Kind::overflow_clear, 0}, 0xffffffff);
        port.write({Kind::control, 0},
                   arm::pmcr_reset_events | arm::pmcr_reset_cycles | arm::pmcr_long_cycle);
    }
    void disable_all(PmuPort& port, Mask) override {
        port.write({Kind::control, 0}, port.read({Kind::control, 0}) & ~arm::pmcr_enable);
    }
    void enable_all(PmuPort& port, Mask active) override {
        if (active == 0) return;
        port.write({Kind::user_enable, 0}, 0);
        port.write({Kind::control, 0}, port.read({Kind::control, 0}) | arm::pmcr_enable);
    }
    void start(PmuPort& port, Slot slot, const vpmu::Event& event,
               std::uint64_t distance) override {
        set_distance(port, slot, distance);
        port.write({Kind::enable_clear, 0}, vpmu::bit(slot));
        port.write({Kind::selector, slot}, selector_bits(model_, event) &
                                               (model_.is_fixed(slot) ? ~arm::type_event : ~0ull));
        port.write({Kind::interrupt_set, 0}, vpmu::bit(slot));
        port.write({Kind::enable_set, 0}, vpmu::bit(slot));
    }
    void stop(PmuPort& port, Slot slot) override {
        port.write({Kind::enable_clear, 0}, vpmu::bit(slot));
        port.write({Kind::interrupt_clear, 0}, vpmu::bit(slot));
        port.write({Kind::overflow_clear, 0}, vpmu::bit(slot));
    }
    std::uint64_t read(PmuPort& port, Slot slot) override {
        return port.read({Kind::counter, slot}) & value_mask();
    }
    void set_distance(PmuPort& port, Slot slot, std::uint64_t distance) override {
        const std::uint64_t bias = model_.is_fixed(slot) ? ~value_mask() : 0;
        port.write({Kind::counter, slot}, reading_at(distance) | bias);
    }
    Mask begin_interrupt(PmuPort& port) override {
        const Mask overflowed = port.read({Kind::overflow_clear, 0});
        port.write({Kind::overflow_clear, 0}, overflowed);
        if (overflowed != 0) disable_all(port, 0);
        return overflowed;
    }
    void end_interrupt(PmuPort& port, Mask overflowed, Mask active) override {
        if (overflowed != 0) enable_all(port, active);
    }
    bool starts_at_once() const override { return true; }
    std::uint64_t reading_at(std::uint64_t distance) const override {
        return (0 - distance) & value_mask();
    }
    std::uint64_t value_mask() const override { return 0xffffffff; }

  private:
    vpmu::PmuModel model_;
};

}  // namespace

std::uint64_t selector_bits(const vpmu::PmuModel& model, const vpmu::Event& event) {
    if (model.is_arm()) {
        return event.select | (event.user ? 0 : arm::type_not_user) |
               (event.kernel ? 0 : arm::type_not_kernel);
    }
    return (std::uint64_t{event.select} & x86::select_event) |
           (std::uint64_t{event.select} << 24 & x86::amd_select_event_high) |
           std::uint64_t{event.umask} << 8 | (event.user ? x86::select_user : 0) |
           (event.kernel ? x86::select_kernel : 0);
}

std::unique_ptr<GuestDriver> make_driver(const vpmu::PmuModel& model) {
    switch (model.architecture) {
        case vpmu::Architecture::intel:
            return std::make_unique<IntelDriver>(model);
        case vpmu::Architecture::amd:
            return std::make_unique<AmdDriver>(model);
        case vpmu::Architecture::arm64:
            break;
    }
    return std::make_unique<ArmDriver>(model);
}

}  // namespace ringside::lab
