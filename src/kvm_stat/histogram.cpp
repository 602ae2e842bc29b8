#include "kvm_stat/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringside::kvm_stat {

namespace {

// Every power of two has this many buckets; smaller numbers have one each.
constexpr unsigned step_bits = 4;
constexpr std::uint64_t steps = std::uint64_t{1} << step_bits;

std::size_t bucket_of(std::uint64_t value) {
    if (value < steps) return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - step_bits - 1;
    return static_cast<std::size_t>(shift * steps + (value >> shift));
}

std::uint64_t middle_of(std::size_t bucket) {
    if (bucket < steps) return bucket;
    const auto shift = static_cast<unsigned>(bucket / steps) - 1;
    const std::uint64_t lowest = (bucket - shift * steps) << shift;
    return lowest + (std::uint64_t{1} << shift) / 2;
}

}  // namespace

void Histogram::add(std::uint64_t duration_ns) {
    const std::size_t bucket = bucket_of(duration_ns);
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
    ++count_;
    total_ns_ += duration_ns;
    min_ns_ = std::min(min_ns_, duration_ns);
    max_ns_ = std::max(max_ns_, duration_ns);
}

void Histogram::add(const Histogram& other) {
    if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
    for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    total_ns_ += other.total_ns_;
    min_ns_ = std::min(min_ns_, other.min_ns_);
    max_ns_ = std::max(max_ns_, other.max_ns_);
}

std::uint64_t Histogram::percentile_ns(double percent) const {
    if (count_ == 0) return 0;
    const double share = std::clamp(percent, 0.0, 100.0) / 100;
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        passed += buckets_[i];
        if (passed >= rank) return std::clamp(middle_of(i), min_ns_, max_ns_);
    }
    return max_ns_;
}

}  // namespace ringside::kvm_stat
