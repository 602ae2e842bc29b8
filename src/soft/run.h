// A run under the soft PMU: the files of all processes that took part, together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "abi/soft_counts.h"

namespace ringside::soft {

struct RunCounts {
    std::array<std::uint64_t, SOFT_COUNTERS> totals{};
    std::uint64_t counted = 0;   // the counters that every process counted, by page index
    std::size_t images = 0;      // programs that were executed, and forks of them
    std::size_t unreadable = 0;  // files that hold no counts
    std::uint64_t uncounted_programs = 0;
    std::uint64_t uncounted_vcpus = 0;
    std::string first_uncounted;

    // What is missing in the counts, for people; empty if nothing is.
    std::vector<std::string> notes() const;
};

Result<RunCounts> read_run(const std::string& folder);

// The files of a run, oldest process first.
Result<std::vector<std::string>> files_of_run(const std::string& folder);

}  // namespace ringside::soft
