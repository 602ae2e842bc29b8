// A guest's perf, reduced to its accesses: programs counters, reads them, and handles their
// interrupt with the registers that Linux's drivers use. Who executes an access (the hardware, or a
// VMM after an exit) is the caller's business.
#pragma once

#include <functional>
#include <vector>

#include "lab/scenario.h"
#include "vpmu/registers.h"

namespace ringside::lab {

class GuestPerf {
  public:
    using Write = std::function<void(vpmu::Register, std::uint64_t)>;
    using Read = std::function<std::uint64_t(vpmu::Register)>;

    GuestPerf(const vpmu::PmuModel& model, std::vector<EventName> events, std::uint64_t period);

    bool is_idle() const { return events_.empty(); }
    void start(const Write& write);
    void stop(const Write& write);
    // Adds what was counted since the last call to counted().
    void read(const Read& read);
    // The overflow handler: takes the sample and arms the counter again.
    void interrupt(const Read& read, const Write& write);

    const std::vector<EventName>& events() const { return events_; }
    std::uint64_t counted(std::size_t event) const { return counted_[event]; }
    std::uint64_t samples() const { return samples_; }

  private:
    std::uint64_t selector(std::size_t index, bool on) const;
    std::uint64_t first_value(std::size_t index) const;
    vpmu::Register counter_read(std::size_t index) const;

    vpmu::PmuModel model_;
    std::vector<EventName> events_;
    std::uint64_t period_;
    std::vector<std::uint64_t> counted_;
    std::vector<std::uint64_t> last_;
    std::uint64_t samples_ = 0;
};

}  // namespace ringside::lab
