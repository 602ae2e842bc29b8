// What lay where in a process, at any time. Built from mmap records in the order of time, then
// asked for any address at any time, so that samples need not be sorted.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
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

// Intervals of addresses in a tree of which copies share what is the same in both: a fork costs
// nothing, and a state of the past only the way to what has changed since.
class IntervalTree {
  public:
    struct Interval {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        MappingId mapping = 0;
        bool only = false;  // nothing else has ever been there
    };
    struct Gap {
        std::uint64_t start = 0;
        std::uint64_t end = ~std::uint64_t{0};
    };

    IntervalTree() = default;
    IntervalTree(const IntervalTree& other);
    IntervalTree(IntervalTree&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
    IntervalTree& operator=(IntervalTree other) noexcept {
        std::swap(root_, other.root_);
        return *this;
    }
    ~IntervalTree();

    // The interval at `address`; nullptr if there is none, and then `gap` is where there is none.
    const Interval* find(std::uint64_t address, Gap& gap) const;
    const Interval* find(std::uint64_t address) const {
        Gap gap;
        return find(address, gap);
    }
    bool is_empty_between(std::uint64_t start, std::uint64_t end) const;
    // Replaces what is there.
    void put(std::uint64_t start, std::uint64_t end, MappingId mapping);

  private:
    struct Node;

    Node* root_ = nullptr;
};

class AddressSpace {
  public:
    // Newer mappings cover older ones.
    void map(std::uint64_t time_ns, const Mapping& mapping, MappingId id);

    // As it is now, without its past.
    AddressSpace fork() const;

    struct Found {
        std::optional<MappingId> mapping;
        // The answer is the same at all times from `start` to `end`: it may be remembered.
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };
    // A time before the first mapping there gets the first: records are written after the fact.
    Found find(std::uint64_t address, std::uint64_t time_ns) const;

  private:
    // From when on it was so. What came to lie where nothing was is put into the newest: it is the
    // answer for all times there, and nothing is unmapped ever.
    struct State {
        std::uint64_t since_ns = 0;
        IntervalTree intervals;
    };
    std::vector<State> states_{State{}};
};

}  // namespace ringside::profile
