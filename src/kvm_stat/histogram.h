// How long many things took, in bounded memory: percentiles of any number of durations, each within
// a thirty-second of its value.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::kvm_stat {

class Histogram {
  public:
    // Constant time.
    void add(std::uint64_t duration_ns);
    void add(const Histogram& other);

    std::uint64_t count() const { return count_; }
    std::uint64_t total_ns() const { return total_ns_; }
    // The next three are 0 for nothing.
    std::uint64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
    std::uint64_t max_ns() const { return max_ns_; }
    // The duration that `percent` of all do not exceed: the middle of its bucket.
    std::uint64_t percentile_ns(double percent) const;

  private:
    std::uint64_t count_ = 0;
    std::uint64_t total_ns_ = 0;
    std::uint64_t min_ns_ = UINT64_MAX;
    std::uint64_t max_ns_ = 0;
    std::vector<std::uint64_t> buckets_;  // up to the highest that is used
};

}  // namespace ringside::kvm_stat
