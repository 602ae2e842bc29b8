// What was measured of the guests of a host, from a recording or live. Passive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kvm_stat/account.h"

namespace ringside::kvm_stat {

struct Measurement {
    std::vector<VcpuStats> vcpus{};
    std::map<std::uint32_t, std::string> names{};  // of processes and threads, where known
    std::uint64_t passages = 0;                    // entries and exits that were seen
    std::uint64_t lost = 0;                        // records that the kernel had no room for
    std::optional<std::uint64_t> duration_ns{};
    std::vector<std::string> warnings{};
};

}  // namespace ringside::kvm_stat
