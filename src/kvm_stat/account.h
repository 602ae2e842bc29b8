// What becomes of exits that are paired with the entries behind them: how often each reason came,
// and how long the guest stood still for it. Cost and memory per exit are constant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kvm_stat/histogram.h"
#include "kvm_stat/passage.h"

namespace ringside::kvm_stat {

// Passages that make no whole exit. Nothing of theirs is in the times.
struct Unpaired {
    std::uint64_t before_first_entry = 0;   // exits of a vCPU that was not seen to run before
    std::uint64_t open_at_end = 0;          // exits whose entry had not come yet
    std::uint64_t exits_without_entry = 0;  // another exit came first: the entry was lost
    // Another entry came first: the exit was lost, or KVM went back without telling (a fast path).
    std::uint64_t entries_without_exit = 0;
    std::uint64_t out_of_order = 0;  // the entry is older than its exit

    Unpaired& operator+=(const Unpaired& other);
};

// One virtual CPU: the thread that enters the guest.
struct VcpuStats {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::optional<std::uint32_t> vcpu{};
    std::uint64_t guest_ns = 0;  // between an entry and its exit
    Unpaired unpaired{};
    std::map<ExitReason, Histogram> reasons{};
};

class Account {
  public:
    // In the order of time; whichever CPU a thread was on. A vCPU's account begins with its first
    // entry, so that the time in the guest and the time of exits cover the same stretch.
    void take(const Passage& passage);

    // As of now, by process and then in the order in which the vCPUs were first seen.
    std::vector<VcpuStats> stats() const;
    // Forgets the sums, not who is inside: an exit that is open now belongs to the next interval.
    void begin_interval();

  private:
    struct Vcpu {
        VcpuStats stats;
        bool entered = false;  // at least once
        std::optional<std::uint64_t> inside_since_ns{};
        std::optional<std::uint64_t> out_since_ns{};
        ExitReason out_for{};
    };

    static void enter(Vcpu& vcpu, std::uint64_t time_ns);
    static void leave(Vcpu& vcpu, const Passage& passage);

    std::vector<Vcpu> vcpus_;
    std::unordered_map<std::uint32_t, std::size_t> by_thread_;
};

}  // namespace ringside::kvm_stat
