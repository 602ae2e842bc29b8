// Which samples count: those that pass every list that is not empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "perf/sample.h"

namespace ringside::profile {

struct Profile;
struct Naming;

struct Filter {
    std::vector<std::string> comms;
    std::vector<std::uint32_t> pids;
    std::vector<std::uint32_t> tids;
    std::vector<std::uint32_t> cpus;
    std::vector<perf::CpuMode> modes;
    std::vector<std::string> modules;  // as a report names them: "libc.so.6"
    std::vector<std::string> symbols;

    bool passes(const perf::FullSample& sample) const;
    bool passes_comm(std::string_view comm) const;
};

// "user,guest_kernel"; "host" and "guest" stand for all modes of that side.
Result<std::vector<perf::CpuMode>> parse_modes(std::string_view text);

// Drops the groups whose own place is not in the wanted modules and symbols: those have names only
// once the profile is symbolized. Totals of events stay what they were.
void keep_named(Profile& profile, const Naming& naming, const Filter& filter);

}  // namespace ringside::profile
