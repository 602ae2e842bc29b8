#include "hyp/arch/stage2.h"

namespace ringside::hyp {

namespace {

constexpr std::uint64_t valid = 1;
constexpr std::uint64_t table_or_page = 2;
constexpr std::uint64_t address_bits = 0x0000'ffff'ffff'f000;
constexpr std::uint64_t access_flag = 1u << 10;
constexpr std::uint64_t inner_shareable = 3u << 8;
constexpr std::uint64_t read_write = 3u << 6;
constexpr std::uint64_t write_back = 0xfu << 2;  // MemAttr, normal memory
constexpr std::uint64_t device_ngnre = 0x1u << 2;
constexpr std::uint64_t no_execute = 1ull << 54;

std::uint64_t attributes(MemoryKind kind) {
    const std::uint64_t common = access_flag | read_write | valid;
    return kind == MemoryKind::normal ? common | write_back | inner_shareable
                                      : common | device_ngnre | no_execute;
}

constexpr unsigned index_at(std::uint64_t address, unsigned shift) {
    return static_cast<unsigned>(address >> shift) & 511;
}

Table* table_of(std::uint64_t entry) {
    // A descriptor is a number that holds an address.
    return reinterpret_cast<Table*>(entry & address_bits);  // NOLINT(performance-no-int-to-ptr)
}

bool is_table(std::uint64_t entry) {
    return (entry & (valid | table_or_page)) == (valid | table_or_page);
}

// The first hole at or behind `address`; one that begins at the limit if there is none.
Range next_hole(std::span<const Range> holes, std::uint64_t address, std::uint64_t limit) {
    Range first{limit, limit};
    for (const Range& hole : holes) {
        if (hole.end > address && hole.begin < first.begin) first = hole;
    }
    return first;
}

}  // namespace

Table* TablePool::take() {
    if (left_ == 0) return nullptr;
    --left_;
    Table* table = tables_++;
    *table = {};
    return table;
}

Table* Stage2::next_level(std::uint64_t& entry) {
    if (is_table(entry)) return table_of(entry);
    if ((entry & valid) != 0) return nullptr;  // a block
    Table* table = pool_.take();
    if (table != nullptr) entry = reinterpret_cast<std::uint64_t>(table) | table_or_page | valid;
    return table;
}

bool Stage2::map_one(std::uint64_t guest, std::uint64_t physical, bool block, MemoryKind kind) {
    if (root_ == nullptr) return false;
    Table* middle = next_level(root_->entry[index_at(guest, 30)]);
    if (middle == nullptr) return false;
    std::uint64_t* entry = &middle->entry[index_at(guest, 21)];
    if (!block) {
        Table* last = next_level(*entry);
        if (last == nullptr) return false;
        entry = &last->entry[index_at(guest, 12)];
    }
    if ((*entry & valid) != 0) return false;
    *entry = physical | attributes(kind) | (block ? 0 : table_or_page);
    return true;
}

bool Stage2::map(std::uint64_t guest, std::uint64_t physical, std::uint64_t bytes,
                 MemoryKind kind) {
    while (bytes != 0) {
        const bool block = (guest | physical) % block_bytes == 0 && bytes >= block_bytes;
        if (!map_one(guest, physical, block, kind)) return false;
        const std::uint64_t step = block ? block_bytes : page_bytes;
        guest += step;
        physical += step;
        bytes -= step;
    }
    return true;
}

bool Stage2::map_devices(const Range& range, std::span<const Range> holes) {
    std::uint64_t at = range.begin;
    while (at < range.end) {
        const Range hole = next_hole(holes, at, range.end);
        const std::uint64_t bytes = hole.begin > at ? hole.begin - at : 0;
        if (!map(at, at, bytes, MemoryKind::device)) return false;
        at = hole.end;
    }
    return true;
}

bool Stage2::translate(std::uint64_t guest, std::uint64_t& physical) const {
    if (guest >> 32 != 0 || root_ == nullptr) return false;
    const std::uint64_t first = root_->entry[index_at(guest, 30)];
    if (!is_table(first)) return false;
    const std::uint64_t second = table_of(first)->entry[index_at(guest, 21)];
    if ((second & valid) == 0) return false;
    if (!is_table(second)) {
        physical = (second & address_bits & ~(block_bytes - 1)) | guest % block_bytes;
        return true;
    }
    const std::uint64_t third = table_of(second)->entry[index_at(guest, 12)];
    if ((third & valid) == 0) return false;
    physical = (third & address_bits) | guest % page_bytes;
    return true;
}

std::uint64_t Stage2::vttbr(unsigned vmid) const {
    return reinterpret_cast<std::uint64_t>(root_) | std::uint64_t{vmid} << 48;
}

std::uint64_t Stage2::vtcr() {
    constexpr std::uint64_t reserved_one = 1u << 31;
    constexpr std::uint64_t physical_40_bits = 2u << 16;
    constexpr std::uint64_t shared_write_back = 3u << 12 | 1u << 10 | 1u << 8;
    constexpr std::uint64_t start_at_level_1 = 1u << 6;
    constexpr std::uint64_t guest_32_bits = 32;  // T0SZ
    return reserved_one | physical_40_bits | shared_write_back | start_at_level_1 | guest_32_bits;
}

}  // namespace ringside::hyp
