// Call stacks as trees: of one profile, and of several joined for a flame graph. Passive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::model {

enum class FrameKind { thread, user, kernel, guest_user, guest_kernel, hypervisor };

struct Frame {
    std::string name;    // a function, a thread's name, or "[libc.so.6]" for what has no name
    std::string module;  // empty for threads
    FrameKind kind = FrameKind::user;

    bool operator==(const Frame&) const = default;
};

// The samples of one event, by where they were taken.
struct StackTree {
    struct Node {
        std::uint32_t parent = 0;  // smaller than the node's own number; the root is its own
        std::uint32_t frame = 0;   // into `frames`; means nothing for the root
        double self = 0;           // how much of the event belongs to samples that end here
    };

    std::string event;
    std::string unit;  // "ns", or empty for plain counts
    std::vector<Frame> frames;
    std::vector<Node> nodes;  // the first is the root
};

// One event of several profiles: each place with its weight in every one.
struct FlameFigure {
    struct Node {
        std::uint32_t parent = 0;  // as in StackTree
        std::uint32_t frame = 0;
        std::vector<double> totals;  // with all above it; one for each series
    };

    std::string event;
    std::string unit;
    std::vector<std::string> series;  // "native", "vm"
    std::vector<Frame> frames;
    std::vector<Node> nodes;
    // Places that were left out because they are too many, and the largest share of their event
    // that one of them has anywhere (of 1).
    std::size_t left_out = 0;
    double left_out_share = 0;

    double share(std::size_t node, std::size_t of_series) const {
        const double whole = nodes[0].totals[of_series];
        return whole > 0 ? nodes[node].totals[of_series] / whole : 0;
    }
};

}  // namespace ringside::model
