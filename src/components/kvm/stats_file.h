// KVM's binary statistics: what a file from KVM_GET_STATS_FD holds (Documentation/virt/kvm/api.rst,
// section 4.133). The file describes itself: a header, descriptors, then 64-bit values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::components::kvm {

struct StatFacts {
    std::string name;  // "halt_exits", "halt_wait_hist"
    bool level = false;
    std::string unit;          // "ns", "bytes", "cycles"; empty for plain counts
    unsigned items = 1;        // more than 1 for histograms
    std::uint64_t offset = 0;  // of the first item in the file
};

struct StatsLayout {
    std::string id;  // "kvm-1234", "kvm-1234/vcpu-0"
    std::vector<StatFacts> stats;

    // Null if there is none.
    const StatFacts* find(std::string_view name) const;
};
// From the bytes before the values, or more. nullopt if they contradict themselves. Total.
std::optional<StatsLayout> parse_stats_layout(std::span<const std::byte> bytes);

// A statistics file of a VM or vCPU.
class StatsFile {
  public:
    static Result<StatsFile> open(base::Fd file);

    const StatsLayout& layout() const { return layout_; }
    // nullopt when the VM is gone.
    std::optional<std::uint64_t> read(const StatFacts& stat, unsigned item) const;

  private:
    StatsFile(base::Fd file, StatsLayout layout)
        : file_(std::move(file)), layout_(std::move(layout)) {}

    base::Fd file_;
    StatsLayout layout_;
};

// What VMs and vCPUs of this kernel count, learned from a machine made for this and gone at once.
// Fails without /dev/kvm or the permission to use it.
struct StatsCatalogue {
    StatsLayout vm;
    StatsLayout vcpu;

    const StatFacts* find(std::string_view name) const;
};
Result<StatsCatalogue> learn_catalogue();

}  // namespace ringside::components::kvm
