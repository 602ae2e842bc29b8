// The memory the kernel writes an event's records into. One reader at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <linux/perf_event.h>

#include <ringside/result.h>

#include "base/mmap.h"
#include "perf/event_fd.h"

namespace ringside::perf {

// A record as it lies in the buffer, header included; valid until the next call of next().
struct RecordView {
    std::uint32_t type = 0;  // PERF_RECORD_*
    std::uint16_t misc = 0;
    std::span<const std::byte> body;  // without the header
};

class RingBuffer {
  public:
    // `data_pages` is a power of two; 0 maps the control page alone, for user-space reads.
    static Result<RingBuffer> map(const EventFd& event, std::size_t data_pages);

    // The next record, or nullopt when all that the kernel wrote was read. Allocates nothing.
    std::optional<RecordView> next();

    // All that the kernel wrote and nobody read yet: whole records, in two parts where they go past
    // the end. They stay until release(), which is one call for all.
    using Unread = std::array<std::span<const std::byte>, 2>;
    Unread unread() const;
    void release(const Unread& unread);

    // The page of the kernel's own bookkeeping: counter index, offsets, clock parameters.
    volatile const perf_event_mmap_page& control() const { return *page(); }

  private:
    explicit RingBuffer(base::Mmap mapping, std::size_t page_bytes);

    volatile perf_event_mmap_page* page() const {
        return reinterpret_cast<volatile perf_event_mmap_page*>(mapping_.data());
    }
    void copy_out(std::uint64_t from, std::size_t count, std::byte* to) const;

    base::Mmap mapping_;
    std::span<const std::byte> data_;
    std::uint64_t tail_ = 0;
    // A record that crosses the end is copied here; made beforehand, for signal handlers.
    std::vector<std::byte> wrapped_;
};

}  // namespace ringside::perf
