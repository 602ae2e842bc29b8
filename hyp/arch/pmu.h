// One CPU's PMUv3 as the engine wants it (vpmu::Hardware), and what MDCR_EL2 lets a guest do.
#pragma once

#include "vpmu/model.h"

namespace ringside::hyp {

class Pmu {
  public:
    // What this CPU has.
    static vpmu::PmuModel model();

    std::uint64_t read_counter(vpmu::Slot slot);
    std::uint64_t read_selector(vpmu::Slot slot);
    std::uint64_t read_control();
    std::uint64_t read_enable();
    std::uint64_t read_overflow();
    std::uint64_t read_interrupt_enable();
    std::uint64_t read_select();
    std::uint64_t read_user_enable() { return direct_user_enable_; }
    void write_counter(vpmu::Slot slot, std::uint64_t value);
    void write_selector(vpmu::Slot slot, std::uint64_t value);
    void write_control(std::uint64_t value);
    void write_enable(std::uint64_t value);
    void write_host_enable(std::uint64_t) {}  // one enable serves both
    void keep_guest_enable(bool) {}
    void set_overflow(std::uint64_t value);
    void clear_overflow(std::uint64_t value);
    void write_interrupt_enable(std::uint64_t value);
    void write_select(std::uint64_t value);
    void write_user_enable(std::uint64_t value) { direct_user_enable_ = value; }
    bool take_interrupt() { return false; }
    std::uint64_t now_ns();

    // What a guest may do with the PMU while it runs. `visible` is PMCR_EL0.N to a guest without
    // traps, `user_enable` the PMUSERENR_EL0 of one with.
    void let_guest(bool direct, unsigned visible, std::uint64_t user_enable);
    // Back at EL2, where host events may count.
    void leave_guest();

  private:
    std::uint64_t mdcr_ = ~std::uint64_t{0};
    std::uint64_t direct_user_enable_ = 0;  // PMUSERENR_EL0 of a guest without traps
    bool direct_ = false;
};

}  // namespace ringside::hyp
