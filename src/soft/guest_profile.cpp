#include "soft/guest_profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/text.h"
#include "soft/profile_buckets.h"

namespace ringside::soft {

std::uint64_t median_of(std::span<const std::uint32_t, SOFT_EXIT_BUCKETS> histogram) {
    std::uint64_t all = 0;
    for (const auto count : histogram) all += count;
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < histogram.size(); ++i) {
        seen += histogram[i];
        if (seen * 2 >= all && seen > 0) return (bucket_begin(i) + bucket_begin(i + 1)) / 2;
    }
    return 0;
}

namespace {

struct Sum {
    DeviceCost cost;
    std::array<std::uint32_t, SOFT_EXIT_BUCKETS> histogram{};

    void add(const soft_exit& exit) {
        (exit.is_write != 0 ? cost.writes : cost.reads) += exit.count;
        cost.timed += exit.timed;
        cost.off_cpu += exit.off_cpu;
        cost.total_ns += exit.total_ns;
        for (std::size_t i = 0; i < histogram.size(); ++i) histogram[i] += exit.histogram[i];
    }
};

}  // namespace

std::vector<DeviceCost> device_costs(const GuestProfile& profile,
                                     const std::vector<CountFile::Device>& devices,
                                     const NameOf& function_of) {
    std::map<std::tuple<std::string, std::string>, Sum> sums;
    for (const auto& exit : profile.exits) {
        const std::string device =
            exit.device < devices.size() ? devices[exit.device].name : "others";
        const std::string function =
            function_of && exit.ip != 0 ? function_of(exit.ip) : std::string();
        Sum& sum = sums[{device, function}];
        sum.cost.device = device;
        sum.cost.function = function;
        sum.add(exit);
    }
    std::vector<DeviceCost> costs;
    for (auto& [key, sum] : sums) {
        sum.cost.median_ns = median_of(sum.histogram);
        costs.push_back(std::move(sum.cost));
    }
    std::stable_sort(costs.begin(), costs.end(), [](const DeviceCost& a, const DeviceCost& b) {
        return a.total_ns > b.total_ns;
    });
    return costs;
}

std::string device_name(const std::string& name, std::string_view iomem) {
    constexpr std::uint64_t page = 4096;
    const auto address = name.starts_with("0x") ? base::parse_u64(name.substr(2), 16)
                                                : std::optional<std::uint64_t>();
    if (!address) return name;
    std::string found = name;
    // "  fed00000-fed003ff : HPET 0"
    for (const auto line : base::split_lines(iomem)) {
        const auto colon = line.find(" : ");
        const auto dash = line.find('-');
        if (colon == std::string_view::npos || dash > colon) continue;
        const auto begin = base::parse_u64(base::trim(line.substr(0, dash)), 16);
        const auto end = base::parse_u64(line.substr(dash + 1, colon - dash - 1), 16);
        if (begin && end && *begin < *address + page && *end >= *address) {
            found = line.substr(colon + 3);
        }
    }
    return found;
}

HostRate host_rate(const soft_profile& profile, double clock_ghz) {
    // No processor retires more; a counter that a hypervisor lent and never ran reads 0.
    constexpr double most_per_ns = 100;
    double instructions = 0;
    double running_ns = 0;
    for (const auto& one : profile.host) {
        instructions += static_cast<double>(one.instructions);
        running_ns += static_cast<double>(one.running_ns);
    }
    const double rate = running_ns > 0 ? instructions / running_ns : 0;
    if (rate > 0 && rate < most_per_ns) return {rate, true};
    return {clock_ghz, false};
}

std::string why_no_tasks(const soft_profile& profile) {
    switch (profile.task_state) {
        case SOFT_TASKS_KNOWN:
            return "";
        case SOFT_TASKS_NO_MEMORY:
            return "the guest's memory was not found in QEMU's";
        case SOFT_TASKS_OTHER_KERNEL:
            return "the guest's memory does not hold the kernel that it described";
        default:
            return "the guest did not say what its kernel is like";
    }
}

}  // namespace ringside::soft
