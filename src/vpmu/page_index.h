// Where a counter stands on the shared page, and the page's sequence locks.
#pragma once

#include <atomic>

#include "abi/vpmu_page.h"
#include "vpmu/model.h"

namespace ringside::vpmu {

// VPMU_PAGE_COUNTERS if the page has no room for it.
constexpr unsigned page_index(const PmuModel& model, Slot slot) {
    if (!model.is_fixed(slot)) return slot < VPMU_PAGE_FIXED ? slot : VPMU_PAGE_COUNTERS;
    return VPMU_PAGE_FIXED + (model.is_arm() ? 0 : slot - first_intel_fixed);
}

constexpr std::uint64_t page_mask(const PmuModel& model, Mask slots) {
    std::uint64_t mask = 0;
    for_each_slot(slots, [&](Slot slot) { mask |= std::uint64_t{1} << page_index(model, slot); });
    return mask & low_bits(VPMU_PAGE_COUNTERS);
}

// One writer at a time: the vCPU's own CPU, or the guest kernel with preemption off.
class PageUpdate {
  public:
    explicit PageUpdate(std::uint32_t& sequence) : sequence_(sequence) {
        sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
    }
    ~PageUpdate() {
        sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    PageUpdate(const PageUpdate&) = delete;
    PageUpdate& operator=(const PageUpdate&) = delete;

  private:
    std::atomic_ref<std::uint32_t> sequence_;
};

}  // namespace ringside::vpmu
