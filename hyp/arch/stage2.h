// Stage 2 translation tables: what a guest takes for memory, and where it is. 4 KiB granule, 32-bit
// guest addresses, start at level 1; 2 MiB blocks where they fit, else pages (Arm ARM, D8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hyp/core/range.h"

namespace ringside::hyp {

inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint64_t block_bytes = 2 * 1024 * 1024;

struct alignas(page_bytes) Table {
    std::uint64_t entry[512];
};

// Where tables come from; never given back, because guests never are.
class TablePool {
  public:
    constexpr TablePool(Table* tables, std::size_t count) : tables_(tables), left_(count) {}
    // Zeroed; null when there is none left.
    Table* take();
    std::size_t left() const { return left_; }

  private:
    Table* tables_;
    std::size_t left_;
};

enum class MemoryKind : std::uint8_t { normal, device };

class Stage2 {
  public:
    explicit Stage2(TablePool& pool) : pool_(pool), root_(pool.take()) {}

    // False if the tables ran out, or something is mapped there already. All addresses are whole
    // pages below 4 GiB.
    [[nodiscard]] bool map(std::uint64_t guest, std::uint64_t physical, std::uint64_t bytes,
                           MemoryKind kind);
    // Devices, each where it is: all of `range` but the holes, which may overlap.
    [[nodiscard]] bool map_devices(const Range& range, std::span<const Range> holes);
    // The physical address, or false.
    bool translate(std::uint64_t guest, std::uint64_t& physical) const;

    // VTTBR_EL2 for this machine, VTCR_EL2 for all.
    std::uint64_t vttbr(unsigned vmid) const;
    static std::uint64_t vtcr();

  private:
    [[nodiscard]] Table* next_level(std::uint64_t& entry);
    [[nodiscard]] bool map_one(std::uint64_t guest, std::uint64_t physical, bool block,
                               MemoryKind kind);

    TablePool& pool_;
    Table* root_;
};

}  // namespace ringside::hyp
