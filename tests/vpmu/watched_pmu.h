// Hardware that watches the hypervisor's hands: a counter must not be written while it runs.
#pragma once

#include "lab/sim_pmu.h"

namespace ringside::vpmu::proof {

class WatchedPmu : public lab::SimPmu {
  public:
    using SimPmu::SimPmu;

    void write_counter(Slot slot, std::uint64_t value) {
        watch(slot);
        SimPmu::write_counter(slot, value);
    }
    void write_selector(Slot slot, std::uint64_t value) {
        watch(slot);
        SimPmu::write_selector(slot, value);
    }
    std::uint64_t writes_while_running() const { return writes_while_running_; }
    void forget_writes() { writes_while_running_ = 0; }

  private:
    void watch(Slot slot) {
        if (runs_in(Mode::host, slot)) ++writes_while_running_;
    }

    std::uint64_t writes_while_running_ = 0;
};

}  // namespace ringside::vpmu::proof
