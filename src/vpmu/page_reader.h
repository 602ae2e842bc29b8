// Reading the shared page: the one reader that programs, libraries and doctors use. The page is
// input, written by a hypervisor, a guest kernel or a stranger: offsets are checked once, loops are
// bounded, and a reading that never settles is reported, not guessed.
#pragma once

#include "vpmu/page_index.h"
#include "vpmu/policy.h"

namespace ringside::vpmu {

namespace page_detail {

template <typename T>
T load(const T& field) {
    return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_relaxed);
}

// Runs `read` until no writer was at work meanwhile; false if that never happens.
template <typename Read>
[[gnu::always_inline]] inline bool settled(const std::uint32_t& sequence, Read read) {
    constexpr unsigned most_attempts = 1000;
    for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
        const auto before = std::atomic_ref<std::uint32_t>(const_cast<std::uint32_t&>(sequence))
                                .load(std::memory_order_acquire);
        if (before % 2 != 0) continue;
        read();
        std::atomic_thread_fence(std::memory_order_acquire);
        if (load(sequence) == before) return true;
    }
    return false;
}

}  // namespace page_detail

// Phys*: what the vCPU itself counted. `phys(index)` reads the hardware's counter.
template <typename Phys>
bool read_vcpu_count(const vpmu_page_vcpu& vcpu, unsigned index, Phys phys, std::uint64_t& value) {
    using page_detail::load;
    if (index >= VPMU_PAGE_COUNTERS) return false;
    const vpmu_page_counter& counter = vcpu.counter[index];
    std::uint64_t count = 0;
    const bool done = page_detail::settled(vcpu.sequence, [&] {
        count = load(counter.sum);
        if ((load(vcpu.active) >> index & 1) == 0) return;
        count += (phys(index) - load(counter.start)) & low_bits(load(counter.width_bits));
    });
    if (done) value = count;
    return done;
}

class PageReader {
  public:
    // Not open, and every answer false or empty, if `bytes` at `page` hold no such page.
    PageReader(const void* page, std::size_t bytes);

    bool is_open() const { return page_ != nullptr; }
    const vpmu_page_header& header() const { return header_; }

    // Null beyond the page's own counts.
    const vpmu_page_vcpu* vcpu(unsigned index) const {
        if (page_ == nullptr || index >= header_.vcpu_count) return nullptr;
        return reinterpret_cast<const vpmu_page_vcpu*>(page_ + header_.vcpu_offset) + index;
    }
    const vpmu_page_thread* thread(unsigned index) const {
        if (page_ == nullptr || index >= header_.thread_count) return nullptr;
        return reinterpret_cast<const vpmu_page_thread*>(page_ + header_.thread_offset) + index;
    }

    // Log: what the thread counted, wherever it ran. For a thread that runs, ask it from itself:
    // `phys` must read the counter of the CPU it runs on.
    template <typename Phys>
    bool read_thread_count(unsigned thread_index, unsigned counter, Phys phys,
                           std::uint64_t& value) const {
        using page_detail::load;
        const vpmu_page_thread* shown = thread(thread_index);
        if (shown == nullptr || counter >= VPMU_PAGE_COUNTERS) return false;
        std::uint64_t count = 0;
        bool complete = true;
        const bool done = page_detail::settled(shown->sequence, [&] {
            const vpmu_page_thread_counter& own = shown->counter[counter];
            count = load(own.sum);
            const vpmu_page_vcpu* where = vcpu(load(shown->vcpu));
            complete = true;
            if (where == nullptr) return;
            std::uint64_t now = 0;
            complete = read_vcpu_count(*where, counter, phys, now);
            count += now - load(own.start);
        });
        if (done && complete) value = count;
        return done && complete;
    }

    // Page where `raw` is the counter itself: a plain load.
    bool read_raw(unsigned vcpu_index, unsigned counter, std::uint64_t& value) const;

    // Copies the samples written since `from` (a value of ring_head), oldest first, at most
    // `room`; `from` moves on. Returns how many; those overwritten meanwhile are skipped.
    std::size_t read_samples(unsigned vcpu_index, std::uint64_t& from, vpmu_page_sample* into,
                             std::size_t room) const;

    // Counters, by page index, that the guest believes to run and that do not. False if the page
    // never settles.
    bool read_starved(unsigned vcpu_index, std::uint64_t& starved) const;

  private:
    const unsigned char* page_ = nullptr;
    vpmu_page_header header_ = {};
};

// Bytes of a page for so many vCPUs, threads and samples (a power of two, or 0), and its header
// written into `page`, everything else zeroed. 0 if the numbers make no sense.
std::size_t page_bytes(std::uint32_t vcpus, std::uint32_t threads, std::uint32_t samples);
bool format_page(void* page, std::size_t bytes, std::uint32_t vcpus, std::uint32_t threads,
                 std::uint32_t samples);
// Says on a formatted page how the PMU is shared.
void describe_page(void* page, Policy policy, Architecture architecture);
// The writer's way in; the page was formatted by us.
vpmu_page_vcpu& vcpu_of(void* page, std::uint32_t index);
vpmu_page_thread& thread_of(void* page, std::uint32_t index);
void write_sample(void* page, std::uint32_t vcpu_index, const vpmu_page_sample& sample);

}  // namespace ringside::vpmu
