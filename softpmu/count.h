// One event more on a vCPU: on its page, on the copy that a guest sees, and perhaps a sample of it.
// Paid for at each block or access.
#pragma once

#include <atomic>
#include <cstdint>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

// Readers are other programs, and load whole words whenever they like.
inline std::uint64_t load(const std::uint64_t& word) {
    return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);
}
inline void show(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
}

// What the guest sees of a count, and what it asked to be told of it. `address(n)` is where the
// counter was n less than now; copying it here would cost more than the count.
template <typename Address>
void lend(Vcpu& vcpu, unsigned counter, std::uint64_t now, std::int64_t amount,
          const Address& address) {
    show(vcpu.lent->counter[counter].raw, now);
    if (now >= load(vcpu.alarms->counter[counter].limit)) [[unlikely]] {
        plugin.guest_page.sound(vcpu.index, counter, now, amount, address);
    }
}

// At every period-th event, exactly, however many of them come at once.
template <typename Address>
[[gnu::noinline]] void take_samples(Vcpu& vcpu, soft_counter counter, std::uint64_t now,
                                    const Address& address) {
    for (; now >= vcpu.sample_at; vcpu.sample_at += plugin.options.period) {
        const std::uint64_t ip = address(now - vcpu.sample_at);
        if (vcpu.profile != nullptr) {
            add_profile_sample(vcpu, ip);
        } else {
            plugin.store.add_sample(counter, ip, vcpu.thread);
        }
    }
}

// One instruction on the page itself, where nobody sees but the plugin's own readers: each vCPU
// writes its own counters. `address` as for lend().
template <bool Samples, bool Lends, typename Address>
void add(Vcpu& vcpu, soft_counter counter, std::int64_t amount, const Address& address) {
    const std::uint64_t now = vcpu.counter[counter].raw += static_cast<std::uint64_t>(amount);
    if constexpr (Lends) lend(vcpu, counter, now, amount, address);
    if constexpr (Samples) {
        if (counter == vcpu.sampled && now >= vcpu.sample_at) [[unlikely]] {
            take_samples(vcpu, counter, now, address);
        }
    }
}

}  // namespace ringside::softpmu
