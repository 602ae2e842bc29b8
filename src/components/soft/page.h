// The soft PMU's page of this very process, mapped.
#pragma once

#include <cstdint>
#include <string>

#include <ringside/result.h>

#include "base/mmap.h"
#include "vpmu/page_reader.h"

namespace ringside::components::soft {

// Where a thread's counts are, looked up once.
struct ThreadPlace {
    unsigned index = 0;  // on the page
    std::uint32_t vcpu_index = 0;
    const vpmu_page_thread* thread = nullptr;
    const vpmu_page_vcpu* vcpu = nullptr;
};

class OwnPage {
  public:
    // Fails where this process is not counted.
    static Result<OwnPage> map(const std::string& folder);

    // By page index.
    bool counts(unsigned counter) const;

    // One of our threads; fails if the soft PMU does not count it.
    Result<ThreadPlace> find_thread(int tid) const;

    // As long as the thread stays on the vCPU it was found on, and the page is at rest, six loads:
    // this runs where every instruction costs a nanosecond. `raw` is what the vCPU counted.
    bool read_thread(const ThreadPlace& place, unsigned counter, std::uint64_t& value) const {
        using vpmu::page_detail::load;
        const auto sequence = load(place.thread->sequence);
        std::atomic_thread_fence(std::memory_order_acquire);
        const vpmu_page_thread_counter& own = place.thread->counter[counter];
        value = load(own.sum) + load(place.vcpu->counter[counter].raw) - load(own.start);
        const bool there = load(place.thread->vcpu) == place.vcpu_index;
        std::atomic_thread_fence(std::memory_order_acquire);
        if (there && sequence % 2 == 0 && load(place.thread->sequence) == sequence) [[likely]] {
            return true;
        }
        return read_moving_thread(place, counter, value);
    }
    // Of all threads there are or were.
    bool read_process(unsigned counter, std::uint64_t& value) const;

  private:
    bool read_moving_thread(const ThreadPlace& place, unsigned counter, std::uint64_t& value) const;
    explicit OwnPage(base::Mmap memory) : memory_(std::move(memory)), reader_(fresh()) {}
    // Threads that began since the last time are seen by a new reader only.
    vpmu::PageReader fresh() const { return {memory_.data(), memory_.size_bytes()}; }

    base::Mmap memory_;
    vpmu::PageReader reader_;
};

}  // namespace ringside::components::soft
