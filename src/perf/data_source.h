// Where the bytes of a perf.data file come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::perf {

// A stretch of bytes: in a file, or in memory where it came through a pipe or was compressed.
struct DataSource {
    std::string name;
    base::Fd fd;
    std::vector<std::byte> memory;
    std::uint64_t whole_size = 0;  // of the file
    std::uint64_t offset = 0;      // of the first record
    std::uint64_t size = 0;
    std::uint64_t base = 0;  // added to positions, so that they grow over all sources

    bool in_memory() const { return !fd; }
};

Result<DataSource> open_source(const std::string& path);
// A pipe cannot be read twice, so it is kept.
Result<DataSource> slurp(int fd, std::string name);

// The bytes of a source from `offset` on, at most `size`; `buffer` holds them if need be.
Result<std::span<const std::byte>> view(const DataSource& source, std::uint64_t offset,
                                        std::uint64_t size, std::vector<std::byte>& buffer);

// Why the records of a source end at `at` and not at `end`: what was expected there.
std::string describe_damage(const DataSource& source, std::uint64_t at, std::uint64_t end,
                            const std::optional<std::uint64_t>& expected_bytes);

}  // namespace ringside::perf
