#include "papi/profile.h"

#include <atomic>
#include <limits>

namespace ringside::papi {

namespace {

// random() may not be called in a signal handler; a linear congruential sequence is random enough
// to drop samples by.
unsigned next_random() {
    static std::atomic<unsigned> state{1};
    unsigned now = state.load(std::memory_order_relaxed);
    unsigned next = 0;
    do {
        next = now * 1103515245u + 12345u;
    } while (!state.compare_exchange_weak(now, next, std::memory_order_relaxed));
    return next >> 16;
}

constexpr unsigned random_max = 0xffff;

std::uint64_t weight(std::uint64_t bucket, int flags, std::int64_t excess, std::int64_t threshold) {
    if ((flags & PAPI_PROFIL_RANDOM) != 0 && next_random() <= random_max / 4) return 0;
    if ((flags & PAPI_PROFIL_COMPRESS) != 0 && next_random() < bucket) return 0;
    if ((flags & PAPI_PROFIL_WEIGHTED) == 0 || excess <= 1) return 1;
    if (excess > threshold) return 255;
    return static_cast<std::uint64_t>(excess) * 255 / static_cast<std::uint64_t>(threshold);
}

template <typename Bucket>
void add(const PAPI_sprofil_t& histogram, std::uint64_t index, int flags, std::int64_t excess,
         std::int64_t threshold) {
    if (index >= histogram.pr_size / sizeof(Bucket)) return;
    auto& bucket = static_cast<Bucket*>(histogram.pr_base)[index];
    bucket = static_cast<Bucket>(bucket + weight(bucket, flags, excess, threshold));
}

std::uintptr_t start_of(const PAPI_sprofil_t& histogram) {
    return reinterpret_cast<std::uintptr_t>(histogram.pr_off);
}

// The one that begins closest below the program counter; the first if none does, where an offset of
// 0 catches what belongs nowhere else.
const PAPI_sprofil_t& histogram_for(std::span<PAPI_sprofil_t> histograms, std::uintptr_t pc) {
    const PAPI_sprofil_t* best = &histograms[0];
    std::uintptr_t best_start = 0;
    for (const auto& candidate : histograms) {
        const auto start = start_of(candidate);
        if (start < pc && start > best_start) {
            best = &candidate;
            best_start = start;
        }
    }
    return *best;
}

// profil(3): a scale of 65536 is a bucket for two bytes of code; 2 at offset 0 is one for all.
std::uint64_t bucket_of(const PAPI_sprofil_t& histogram, std::uint64_t distance) {
    if (start_of(histogram) == 0 && histogram.pr_scale == 2) return 0;
    // distance * scale >> 17, without overflow.
    const std::uint64_t low = distance & 0x1ffff;
    return (distance >> 17) * histogram.pr_scale + (low * histogram.pr_scale >> 17);
}

}  // namespace

void tally(std::span<PAPI_sprofil_t> histograms, std::uintptr_t pc, int flags, std::int64_t excess,
           std::int64_t threshold) {
    if (histograms.empty()) return;
    const auto& histogram = histogram_for(histograms, pc);
    if (histogram.pr_base == nullptr || pc < start_of(histogram)) return;
    const std::uint64_t index = bucket_of(histogram, pc - start_of(histogram));
    if ((flags & PAPI_PROFIL_BUCKET_64) != 0) {
        add<std::uint64_t>(histogram, index, flags, excess, threshold);
    } else if ((flags & PAPI_PROFIL_BUCKET_32) != 0) {
        add<std::uint32_t>(histogram, index, flags, excess, threshold);
    } else {
        add<std::uint16_t>(histogram, index, flags, excess, threshold);
    }
}

}  // namespace ringside::papi
