// What lay where in a process, at any time. Built from mmap records in the order of time, then
// asked for any address at any time, so that samples need not be sorted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ringside::profile {

// An index into the world's list of mapped files.
using ModuleId = std::uint32_t;

struct Mapping {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t file_offset = 0;
    ModuleId module = 0;
};
using MappingId = std::uint32_t;  // into the world's list of mappings

class AddressSpace {
  public:
    // Newer mappings cover older ones.
    void map(std::uint64_t time_ns, const Mapping& mapping, MappingId id);

    struct Found {
        std::optional<MappingId> mapping;
        // The answer is the same at all times from `start` to `end`: it may be remembered.
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };
    // A time before the first mapping there gets the first: records are written after the fact.
    Found find(std::uint64_t address, std::uint64_t time_ns) const;

  private:
    struct Version {
        std::uint64_t time_ns = 0;
        MappingId mapping = 0;
    };
    // An interval over which all addresses have the same history.
    struct Slice {
        std::uint64_t end = 0;
        std::vector<Version> versions;
    };

    void cut_at(std::uint64_t address);

    std::map<std::uint64_t, Slice> slices_;  // by their start
};

}  // namespace ringside::profile
