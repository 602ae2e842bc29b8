#include "kvm_stat/time_order.h"

#include <algorithm>

namespace ringside::kvm_stat {

void TimeOrder::add(const Passage& passage) {
    waiting_.push_back(passage);
    youngest_ns_ = std::max(youngest_ns_, passage.time_ns);
}

void TimeOrder::end_round() {
    hand_on_before(youngest_of_last_round_ns_);
    youngest_of_last_round_ns_ = youngest_ns_;
}

void TimeOrder::hand_on_before(std::uint64_t time_ns) {
    const auto older = [&](const Passage& passage) { return passage.time_ns < time_ns; };
    const auto end = std::stable_partition(waiting_.begin(), waiting_.end(), older);
    // Stable: of two at the same instant, the one written first comes first.
    std::stable_sort(waiting_.begin(), end,
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    for (auto at = waiting_.begin(); at != end; ++at) sink_(*at);
    waiting_.erase(waiting_.begin(), end);
}

}  // namespace ringside::kvm_stat
