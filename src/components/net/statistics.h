// The events of a network interface: data/net/statistics.csv over the kernel's 64-bit counters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <linux/if_link.h>

namespace ringside::components::net {

using LinkStats = rtnl_link_stats64;

struct LinkCounter {
    std::string_view name;  // as the kernel calls it: "rx_bytes"
    __u64 LinkStats::*member;
};
// All counters of the kernel, for readers of one file each.
std::span<const LinkCounter> link_counters();

struct Statistic {
    std::string name;  // "rx:bytes"
    std::vector<__u64 LinkStats::*> summed;
    std::string unit;
    std::string description;

    std::uint64_t value(const LinkStats& stats) const;
};
// In the order of the table.
const std::vector<Statistic>& statistics();
// Null if there is none.
const Statistic* find_statistic(std::string_view name);

}  // namespace ringside::components::net
