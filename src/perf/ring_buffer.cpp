#include "perf/ring_buffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "base/error.h"

namespace ringside::perf {

namespace {

// The kernel publishes data_head after the records with a release, and reuses what lies before
// data_tail after our release (linux/perf_event.h, "User-space reading the @data_head value").
std::uint64_t load_acquire(const volatile __u64& word) {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

void store_release(volatile __u64& word, std::uint64_t value) {
    __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

}  // namespace

RingBuffer::RingBuffer(base::Mmap mapping, std::size_t page_bytes)
    : mapping_(std::move(mapping)),
      data_(mapping_.data() + page_bytes, mapping_.size_bytes() - page_bytes),
      wrapped_(std::min<std::size_t>(data_.size(), UINT16_MAX)) {}

Result<RingBuffer> RingBuffer::map(const EventFd& event, std::size_t data_pages) {
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t size = page_bytes * (data_pages + 1);
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, event.fd(), 0);
    if (address == MAP_FAILED) {
        return base::fail_errno(errno, "cannot map a perf ring buffer",
                                "raise kernel.perf_event_mlock_kb or use a smaller buffer");
    }
    return RingBuffer(base::Mmap(address, size), page_bytes);
}

void RingBuffer::copy_out(std::uint64_t from, std::size_t count, std::byte* to) const {
    const std::size_t at = static_cast<std::size_t>(from % data_.size());
    const std::size_t first = std::min(count, data_.size() - at);
    std::memcpy(to, data_.data() + at, first);
    std::memcpy(to + first, data_.data(), count - first);
}

std::optional<RecordView> RingBuffer::next() {
    store_release(page()->data_tail, tail_);
    const std::uint64_t head = load_acquire(page()->data_head);
    if (data_.empty() || head - tail_ < sizeof(perf_event_header)) return std::nullopt;
    perf_event_header header;
    copy_out(tail_, sizeof header, reinterpret_cast<std::byte*>(&header));
    const std::uint64_t most = std::min<std::uint64_t>(head - tail_, data_.size());
    if (header.size < sizeof header || header.size > most) return std::nullopt;
    const std::size_t at = static_cast<std::size_t>(tail_ % data_.size());
    std::span<const std::byte> record;
    if (at + header.size <= data_.size()) {
        record = data_.subspan(at, header.size);
    } else {
        copy_out(tail_, header.size, wrapped_.data());
        record = std::span(wrapped_).first(header.size);
    }
    tail_ += header.size;
    return RecordView{header.type, header.misc, record.subspan(sizeof header)};
}

RingBuffer::Unread RingBuffer::unread() const {
    const std::uint64_t head = load_acquire(page()->data_head);
    const std::size_t size = std::min<std::size_t>(head - tail_, data_.size());
    const std::size_t at = static_cast<std::size_t>(tail_ % data_.size());
    const std::size_t first = std::min(size, data_.size() - at);
    return {data_.subspan(at, first), data_.first(size - first)};
}

void RingBuffer::release(const Unread& unread) {
    tail_ += unread[0].size() + unread[1].size();
    store_release(page()->data_tail, tail_);
}

}  // namespace ringside::perf
