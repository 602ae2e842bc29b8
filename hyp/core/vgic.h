// A guest's interrupt controller: GICv3 with one CPU and affinity routing, as registers that the
// guest's trapped accesses meet, and as list registers that its entries and exits move (Arm IHI
// 0069H, chapters 11 and 12). Pure state; arch/gic.h has the hardware.
#pragma once

#include <cstdint>

namespace ringside::hyp {

inline constexpr unsigned max_interrupts = 288;
inline constexpr unsigned max_list_registers = 16;

struct ListRegisters {
    std::uint64_t value[max_list_registers] = {};
    unsigned used = 0;
    bool more_wait = false;  // than there is room for: ask for a maintenance interrupt
};

class VirtualGic {
  public:
    // Device interrupts reach only the guest that owns the devices; the others see none.
    explicit VirtualGic(bool owns_devices);

    // Accesses of 4 or 8 bytes (1 for priorities), by offset into the region. Unknown registers
    // read as zero and ignore writes.
    std::uint64_t read_distributor(std::uint64_t offset, unsigned bytes) const;
    void write_distributor(std::uint64_t offset, unsigned bytes, std::uint64_t value);
    std::uint64_t read_redistributor(std::uint64_t offset, unsigned bytes) const;
    void write_redistributor(std::uint64_t offset, unsigned bytes, std::uint64_t value);

    // A level that we emulate: the PMU's interrupt.
    void set_level(unsigned interrupt, bool high);
    // An interrupt the guest sends to itself (ICC_SGI1R_EL1).
    void send(unsigned interrupt);
    // A physical interrupt, to be deactivated when the guest deactivates it.
    void raise_physical(unsigned interrupt);
    // Is the physical interrupt on its way or being handled?
    bool holds_physical(unsigned interrupt) const { return is_set(physical_, interrupt); }

    // Would it wake the guest?
    bool has_deliverable() const;
    void fill(ListRegisters& registers, unsigned available);
    void take(const ListRegisters& registers);

    // Device interrupts the guest switched on, 32 a word; word 0 is its own.
    std::uint32_t enabled(unsigned word) const { return enabled_[word]; }
    bool is_edge_triggered(unsigned interrupt) const { return is_set(edge_, interrupt); }

  private:
    static constexpr unsigned words = max_interrupts / 32;
    using Bits = std::uint32_t[words];

    static bool is_set(const Bits& bits, unsigned interrupt) {
        return (bits[interrupt / 32] >> interrupt % 32 & 1) != 0;
    }
    static void set(Bits& bits, unsigned interrupt, bool on);

    std::uint32_t read_word(unsigned group, unsigned word) const;
    void write_word(unsigned group, unsigned word, std::uint32_t value);
    std::uint64_t read_bank(std::uint64_t offset, unsigned bytes, bool own) const;
    void write_bank(std::uint64_t offset, unsigned bytes, std::uint64_t value, bool own);
    std::uint32_t waiting(unsigned word) const;
    bool best(const Bits& taken, unsigned& interrupt) const;
    std::uint64_t list_register(unsigned interrupt) const;

    Bits grouped_ = {};
    Bits enabled_ = {};
    Bits latched_ = {};  // pending by an edge or by a write
    Bits level_ = {};
    Bits active_ = {};
    Bits edge_ = {};
    Bits physical_ = {};
    std::uint8_t priority_[max_interrupts] = {};
    std::uint32_t control_ = 0;
    unsigned limit_;  // the first interrupt this guest does not have
};

}  // namespace ringside::hyp
