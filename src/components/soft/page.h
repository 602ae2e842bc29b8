// The soft PMU's page of this very process, mapped.
#pragma once

#include <cstdint>
#include <string>

#include <ringside/result.h>

#include "base/mmap.h"
#include "vpmu/page_reader.h"

namespace ringside::components::soft {

class OwnPage {
  public:
    // Fails where this process is not counted.
    static Result<OwnPage> map(const std::string& folder);

    // By page index.
    bool counts(unsigned counter) const;

    // The place of one of our threads; fails if the soft PMU does not count it.
    Result<unsigned> find_thread(int tid) const;

    bool read_thread(unsigned thread, unsigned counter, std::uint64_t& value) const {
        const auto* shown = reader_.thread(thread);
        const auto* vcpu = shown == nullptr ? nullptr : reader_.vcpu(shown->vcpu);
        const auto raw = [&](unsigned index) {
            return vcpu == nullptr ? 0 : vpmu::page_detail::load(vcpu->counter[index].raw);
        };
        return reader_.read_thread_count(thread, counter, raw, value);
    }
    // Of all threads there are or were.
    bool read_process(unsigned counter, std::uint64_t& value) const;

  private:
    explicit OwnPage(base::Mmap memory) : memory_(std::move(memory)), reader_(fresh()) {}
    // Threads that began since the last time are seen by a new reader only.
    vpmu::PageReader fresh() const { return {memory_.data(), memory_.size_bytes()}; }

    base::Mmap memory_;
    vpmu::PageReader reader_;
};

}  // namespace ringside::components::soft
