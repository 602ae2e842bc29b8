// Call chains as a tree: what two chains share, from the outermost caller inwards, is stored once.
#pragma once

#include <cstdint>

#include "base/index_table.h"
#include "profile/locations.h"

namespace ringside::profile {

using StackId = std::uint32_t;
constexpr StackId empty_stack = 0;

// The outermost frame of every stack is the thread's name, so that one tree holds all threads.
constexpr std::uint32_t comm_mark = std::uint32_t{1} << 31;
inline LocationId comm_frame(CommId comm) {
    return comm_mark | comm;
}
inline bool is_comm_frame(LocationId location) {
    return (location & comm_mark) != 0;
}
inline CommId comm_of_frame(LocationId location) {
    return location & ~comm_mark;
}

class Stacks {
  public:
    struct Node {
        StackId caller = empty_stack;
        LocationId location = 0;
        StackId latest = empty_stack;  // of what was pushed on it
    };

    Stacks() { nodes_.push_back({}); }

    // The stack that `location` makes on top of `caller`; often the one that was asked for last.
    StackId push(StackId caller, LocationId location) {
        const StackId latest = nodes_[caller].latest;
        if (latest != empty_stack && nodes_[latest].location == location) return latest;
        return nodes_[caller].latest = find(caller, location);
    }

    const Node& operator[](StackId id) const { return nodes_[id]; }
    // The empty stack included. A caller's id is smaller than that of all it calls.
    std::size_t size() const { return nodes_.size(); }

  private:
    StackId find(StackId caller, LocationId location) {
        return index_.find_or_add(
            base::mix_bits(std::uint64_t{caller} << 32 | location),
            [&](StackId id) {
                return nodes_[id].caller == caller && nodes_[id].location == location;
            },
            [&] {
                nodes_.push_back({caller, location});
                return static_cast<StackId>(nodes_.size() - 1);
            });
    }

    base::LargeVector<Node> nodes_;
    base::IndexTable index_;
};

}  // namespace ringside::profile
