// What a guest's recording says of its CPUs: when each of them certainly executed something, and
// how much of it the guest believes was stolen. Times are the guest's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "perf/data_file.h"

namespace ringside::merge {

struct GuestCpu {
    std::uint32_t cpu = 0;
    std::vector<std::uint64_t> times_ns;  // of its samples, in order
    // What the guest's kernel says was stolen between the first and the last reading.
    std::optional<std::uint64_t> stolen_ns;
};

struct GuestView {
    std::uint64_t first_ns = 0;
    std::uint64_t last_ns = 0;
    std::vector<GuestCpu> cpus;  // those with samples, by number

    std::size_t samples() const;
};

// Fails if there is no sample, or none with a time and a CPU.
Result<GuestView> read_guest(const perf::DataFile& file, const std::string& path);

}  // namespace ringside::merge
