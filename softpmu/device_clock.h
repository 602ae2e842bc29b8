// How long an access to a device took, on one vCPU. QEMU tells of an access when it is done, so the
// time must be taken before it: at the begin of those blocks that were seen to reach a device, and
// not of all the others, where it would cost more than the block. Pure.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <utility>

namespace ringside::softpmu {

class DeviceClock {
  public:
    // A block begins. `now` is asked for the time, in ns, only if it is needed.
    template <typename Now>
    void enter(std::uint64_t block, Now now) {
        block_ = block;
        since_ns_ = places_[place_of(block)] ? now() : 0;
    }
    // The block has reached a device. Nothing if nobody could know that it would.
    std::optional<std::uint64_t> reached(std::uint64_t now_ns) {
        places_.set(place_of(block_));
        const std::uint64_t since = std::exchange(since_ns_, 0);
        if (since == 0 || now_ns < since) return std::nullopt;
        return now_ns - since;
    }
    // What was done about that is over: the block may reach another one.
    void go_on(std::uint64_t now_ns) { since_ns_ = now_ns; }

  private:
    static constexpr std::size_t places = 4096;
    static std::size_t place_of(std::uint64_t block) {
        return static_cast<std::size_t>(block * 0x9e3779b97f4a7c15u >> 52);
    }
    // Two blocks at one place cost time, and nothing else.
    std::bitset<places> places_;
    std::uint64_t block_ = 0;
    std::uint64_t since_ns_ = 0;
};

// Whether a thread was off its CPU during an access that took long. `switches` is asked how often
// it was so far, which costs a system call: now and then, and after every long access.
class OffCpuWatch {
  public:
    static constexpr std::uint64_t long_ns = 20'000;
    static constexpr std::uint64_t fresh_ns = 1'000'000;

    template <typename Switches>
    bool was_off(std::uint64_t cost_ns, std::uint64_t now_ns, Switches switches) {
        const bool is_long = cost_ns >= long_ns;
        if (!is_long && now_ns - asked_ns_ < fresh_ns) return false;
        const std::uint64_t before = std::exchange(switches_, switches());
        asked_ns_ = now_ns;
        return is_long && switches_ != before;
    }

  private:
    std::uint64_t asked_ns_ = 0;
    std::uint64_t switches_ = 0;
};

}  // namespace ringside::softpmu
