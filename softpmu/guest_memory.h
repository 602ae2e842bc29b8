// The memory of a machine, by physical addresses that count from its first byte. The guest writes
// it while it is read, and any address may come from the guest: reads are bounded, and nothing
// follows from a success.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace ringside::softpmu {

class GuestMemory {
  public:
    GuestMemory() = default;
    // What does not fit below `low_bytes` begins at 4 GiB, as on a PC.
    GuestMemory(std::span<const std::byte> bytes, std::uint64_t low_bytes)
        : bytes_(bytes), low_bytes_(low_bytes) {}

    // As QEMU's q35 lays it out: hw/i386/pc_q35.c leaves room for devices below 4 GiB.
    static std::uint64_t low_bytes_of(std::uint64_t ram_bytes) {
        constexpr std::uint64_t most = 0xb0000000;
        return ram_bytes < most ? ram_bytes : 0x80000000;
    }

    bool empty() const { return bytes_.empty(); }

    template <typename T>
    bool read(std::uint64_t physical, T& into) const {
        static_assert(std::is_trivially_copyable_v<T>);
        return copy(physical, &into, sizeof into);
    }
    bool copy(std::uint64_t physical, void* into, std::size_t count) const {
        constexpr std::uint64_t high = std::uint64_t{4} << 30;
        std::uint64_t offset = physical;
        std::uint64_t end = low_bytes_;
        if (physical >= low_bytes_) {
            if (physical < high) return false;
            offset = physical - high + low_bytes_;
            end = bytes_.size();
            if (offset < low_bytes_) return false;
        }
        if (offset > end || end > bytes_.size() || count > end - offset) return false;
        std::memcpy(into, bytes_.data() + offset, count);
        return true;
    }

  private:
    std::span<const std::byte> bytes_;
    std::uint64_t low_bytes_ = 0;
};

}  // namespace ringside::softpmu
