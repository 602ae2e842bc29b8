// Puts passages into the order of time: each CPU has a buffer of its own, and a vCPU's thread moves
// between CPUs. Keeps only what something older may still come before.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kvm_stat/passage.h"

namespace ringside::kvm_stat {

class TimeOrder {
  public:
    using Sink = std::function<void(const Passage&)>;
    explicit TimeOrder(Sink sink) : sink_(std::move(sink)) {}

    void add(const Passage& passage);
    // Every buffer was emptied once more (PERF_RECORD_FINISHED_ROUND): nothing can still come that
    // is older than what had been seen when the round before ended.
    void end_round();
    // Hands on all that is older; younger ones stay.
    void hand_on_before(std::uint64_t time_ns);
    void hand_on_all() { hand_on_before(UINT64_MAX); }

  private:
    Sink sink_;
    std::vector<Passage> waiting_;
    std::uint64_t youngest_ns_ = 0;
    std::uint64_t youngest_of_last_round_ns_ = 0;
};

}  // namespace ringside::kvm_stat
