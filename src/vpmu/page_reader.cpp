#include "vpmu/page_reader.h"

namespace ringside::vpmu {

namespace {

using page_detail::load;

constexpr std::uint32_t most_vcpus = 4096;
constexpr std::uint32_t most_threads = 65536;
constexpr std::uint32_t most_samples = 65536;

constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 63) & ~std::uint64_t{63};
}

// Part of the page from `offset`, inside it and aligned for the structs that lie there.
bool fits(const vpmu_page_header& header, std::uint32_t offset, std::uint64_t count,
          std::uint64_t each) {
    return offset % 8 == 0 && offset >= sizeof(vpmu_page_header) &&
           offset + count * each <= header.bytes;
}

bool is_sound(const vpmu_page_header& header, std::size_t bytes) {
    const bool counts = header.vcpu_count <= most_vcpus && header.thread_count <= most_threads &&
                        header.ring_entries <= most_samples &&
                        (header.ring_entries & (header.ring_entries - 1)) == 0;
    return header.magic == VPMU_PAGE_MAGIC && header.version == VPMU_PAGE_VERSION &&
           header.bytes <= bytes && counts &&
           fits(header, header.vcpu_offset, header.vcpu_count, sizeof(vpmu_page_vcpu)) &&
           fits(header, header.thread_offset, header.thread_count, sizeof(vpmu_page_thread)) &&
           fits(header, header.ring_offset, std::uint64_t{header.ring_entries} * header.vcpu_count,
                sizeof(vpmu_page_sample));
}

void copy(void* to, const void* from, std::size_t bytes) {
    __builtin_memcpy(to, from, bytes);
}

}  // namespace

// The header is copied once, so that a page that changes later cannot move what was checked.
PageReader::PageReader(const void* page, std::size_t bytes) {
    if (page == nullptr || bytes < sizeof header_) return;
    copy(&header_, page, sizeof header_);
    if (is_sound(header_, bytes)) page_ = static_cast<const unsigned char*>(page);
}

bool PageReader::read_raw(unsigned vcpu_index, unsigned counter, std::uint64_t& value) const {
    const vpmu_page_vcpu* shown = vcpu(vcpu_index);
    const bool live = (header_.flags & VPMU_PAGE_RAW_IS_LIVE) != 0;
    if (shown == nullptr || !live || counter >= VPMU_PAGE_COUNTERS) return false;
    value = load(shown->counter[counter].raw);
    return true;
}

bool PageReader::read_starved(unsigned vcpu_index, std::uint64_t& starved) const {
    const vpmu_page_vcpu* shown = vcpu(vcpu_index);
    if (shown == nullptr) return false;
    std::uint64_t seen = 0;
    if (!page_detail::settled(shown->sequence, [&] { seen = load(shown->starved); })) return false;
    starved = seen;
    return true;
}

std::size_t PageReader::read_samples(unsigned vcpu_index, std::uint64_t& from,
                                     vpmu_page_sample* into, std::size_t room) const {
    const vpmu_page_vcpu* shown = vcpu(vcpu_index);
    if (shown == nullptr || header_.ring_entries == 0) return 0;
    const std::uint64_t entries = header_.ring_entries;
    const auto* ring = reinterpret_cast<const vpmu_page_sample*>(page_ + header_.ring_offset) +
                       entries * vcpu_index;
    const std::uint64_t head =
        std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(shown->ring_head))
            .load(std::memory_order_acquire);
    if (head < from) from = head;
    // The entry after the newest may be half overwritten, so it never counts.
    if (head - from >= entries) from = head - entries + 1;
    std::size_t taken = 0;
    for (; from != head && taken < room; ++from)
        copy(&into[taken++], &ring[from % entries], sizeof *into);
    std::atomic_thread_fence(std::memory_order_acquire);
    // What the writer overwrote while we copied is dropped from the front.
    const std::uint64_t now = load(shown->ring_head);
    const std::uint64_t oldest = now >= entries ? now - entries + 1 : 0;
    const std::uint64_t first = from - taken;
    const std::size_t lost = oldest > first ? std::size_t(oldest - first) : 0;
    if (lost == 0) return taken;
    if (lost >= taken) return 0;
    for (std::size_t i = lost; i < taken; ++i) into[i - lost] = into[i];
    return taken - lost;
}

std::size_t page_bytes(std::uint32_t vcpus, std::uint32_t threads, std::uint32_t samples) {
    const bool sane = vcpus != 0 && vcpus <= most_vcpus && threads <= most_threads &&
                      samples <= most_samples && (samples & (samples - 1)) == 0;
    if (!sane) return 0;
    const std::uint64_t bytes = aligned(sizeof(vpmu_page_header)) +
                                aligned(std::uint64_t{vcpus} * sizeof(vpmu_page_vcpu)) +
                                aligned(std::uint64_t{threads} * sizeof(vpmu_page_thread)) +
                                std::uint64_t{vcpus} * samples * sizeof(vpmu_page_sample);
    return bytes > ~std::uint32_t{0} ? 0 : std::size_t(bytes);
}

bool format_page(void* page, std::size_t bytes, std::uint32_t vcpus, std::uint32_t threads,
                 std::uint32_t samples) {
    const std::size_t needed = page_bytes(vcpus, threads, samples);
    if (needed == 0 || bytes < needed) return false;
    __builtin_memset(page, 0, needed);
    vpmu_page_header header = {};
    header.magic = VPMU_PAGE_MAGIC;
    header.version = VPMU_PAGE_VERSION;
    header.bytes = std::uint32_t(needed);
    header.vcpu_count = vcpus;
    header.vcpu_offset = std::uint32_t(aligned(sizeof header));
    header.thread_count = threads;
    header.thread_offset =
        header.vcpu_offset + std::uint32_t(aligned(std::uint64_t{vcpus} * sizeof(vpmu_page_vcpu)));
    header.ring_entries = samples;
    header.ring_offset = header.thread_offset +
                         std::uint32_t(aligned(std::uint64_t{threads} * sizeof(vpmu_page_thread)));
    copy(page, &header, sizeof header);
    for (std::uint32_t i = 0; i < vcpus; ++i) vcpu_of(page, i).thread = VPMU_PAGE_NO_THREAD;
    for (std::uint32_t i = 0; i < threads; ++i) thread_of(page, i).vcpu = VPMU_PAGE_NO_THREAD;
    return true;
}

namespace {

vpmu_page_header& header_of(void* page) {
    return *static_cast<vpmu_page_header*>(page);
}
unsigned char* at(void* page, std::uint32_t offset) {
    return static_cast<unsigned char*>(page) + offset;
}

}  // namespace

void describe_page(void* page, Policy policy, Architecture architecture) {
    header_of(page).policy = static_cast<std::uint32_t>(policy);
    header_of(page).architecture = static_cast<std::uint32_t>(architecture);
}

vpmu_page_vcpu& vcpu_of(void* page, std::uint32_t index) {
    return reinterpret_cast<vpmu_page_vcpu*>(at(page, header_of(page).vcpu_offset))[index];
}

vpmu_page_thread& thread_of(void* page, std::uint32_t index) {
    return reinterpret_cast<vpmu_page_thread*>(at(page, header_of(page).thread_offset))[index];
}

void write_sample(void* page, std::uint32_t vcpu_index, const vpmu_page_sample& sample) {
    const std::uint64_t entries = header_of(page).ring_entries;
    if (entries == 0) return;
    auto* ring = reinterpret_cast<vpmu_page_sample*>(at(page, header_of(page).ring_offset)) +
                 entries * vcpu_index;
    std::atomic_ref<std::uint64_t> head(vcpu_of(page, vcpu_index).ring_head);
    const std::uint64_t position = head.load(std::memory_order_relaxed);
    copy(&ring[position % entries], &sample, sizeof sample);
    head.store(position + 1, std::memory_order_release);
}

}  // namespace ringside::vpmu
