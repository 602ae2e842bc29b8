#include "profile/address_space.h"

#include <algorithm>
#include <memory>
#include <random>

namespace ringside::profile {

// A treap: sorted by address from left to right, and by a random rank from the root down, which
// keeps it flat whatever a file has in mind.
struct IntervalTree::Node {
    Interval interval;
    std::uint32_t rank = 0;
    std::uint32_t owners = 1;
    Node* left = nullptr;
    Node* right = nullptr;

    static Node* shared(Node* node) {
        if (node != nullptr) ++node->owners;
        return node;
    }
    // As deep as the tree.
    static void drop(Node* node) {
        if (node == nullptr || --node->owners > 0) return;
        drop(node->left);
        drop(node->right);
        delete node;
    }
    // `node` itself if nobody else has it, or a copy of it with the same children.
    static Node* own(Node* node) {
        if (node->owners == 1) return node;
        auto* copy =
            new Node{node->interval, node->rank, 1, shared(node->left), shared(node->right)};
        drop(node);
        return copy;
    }
    static Node* make(const Interval& interval) {
        thread_local std::minstd_rand ranks{std::random_device()()};
        return new Node{interval, static_cast<std::uint32_t>(ranks()), 1, nullptr, nullptr};
    }

    // What lies below `at` and what from there on; an interval across it is cut.
    static std::pair<Node*, Node*> split(Node* node, std::uint64_t at) {
        if (node == nullptr) return {nullptr, nullptr};
        node = own(node);
        if (node->interval.end <= at) {
            const auto [below, above] = split(node->right, at);
            node->right = below;
            return {node, above};
        }
        if (node->interval.start >= at) {
            const auto [below, above] = split(node->left, at);
            node->left = above;
            return {below, node};
        }
        Interval rest = node->interval;
        rest.start = node->interval.end = at;
        auto* above = new Node{rest, node->rank, 1, nullptr, std::exchange(node->right, nullptr)};
        return {node, above};
    }

    // All of `below` lies before all of `above`.
    static Node* join(Node* below, Node* above) {
        if (below == nullptr) return above;
        if (above == nullptr) return below;
        if (below->rank > above->rank) {
            below = own(below);
            below->right = join(below->right, above);
            return below;
        }
        above = own(above);
        above->left = join(below, above->left);
        return above;
    }

    template <typename Visit>
    static void in_order(const Node* node, const Visit& visit) {
        if (node == nullptr) return;
        in_order(node->left, visit);
        visit(node->interval);
        in_order(node->right, visit);
    }
};

IntervalTree::IntervalTree(const IntervalTree& other) : root_(Node::shared(other.root_)) {}

IntervalTree::~IntervalTree() {
    Node::drop(root_);
}

const IntervalTree::Interval* IntervalTree::find(std::uint64_t address, Gap& gap) const {
    gap = {};
    for (const Node* node = root_; node != nullptr;) {
        if (address < node->interval.start) {
            gap.end = node->interval.start;
            node = node->left;
        } else if (address >= node->interval.end) {
            gap.start = node->interval.end;
            node = node->right;
        } else {
            return &node->interval;
        }
    }
    return nullptr;
}

bool IntervalTree::is_empty_between(std::uint64_t start, std::uint64_t end) const {
    Gap gap;
    return find(start, gap) == nullptr && gap.end >= end;
}

void IntervalTree::put(std::uint64_t start, std::uint64_t end, MappingId mapping) {
    const auto [below, rest] = Node::split(std::exchange(root_, nullptr), start);
    const auto [covered, above] = Node::split(rest, end);
    Node* placed = nullptr;
    const auto place = [&](std::uint64_t from, std::uint64_t to, bool only) {
        if (from < to) placed = Node::join(placed, Node::make({from, to, mapping, only}));
    };
    // What was covered on end is one interval.
    std::uint64_t done = start;
    std::uint64_t covered_from = start;
    Node::in_order(covered, [&](const Interval& old) {
        if (old.start > done) {
            place(covered_from, done, false);
            place(done, old.start, true);
            covered_from = old.start;
        }
        done = old.end;
    });
    place(covered_from, done, false);
    place(done, end, true);
    Node::drop(covered);
    root_ = Node::join(Node::join(below, placed), above);
}

void AddressSpace::map(std::uint64_t time_ns, const Mapping& mapping, MappingId id) {
    if (mapping.end <= mapping.start) return;
    if (!states_.back().intervals.is_empty_between(mapping.start, mapping.end)) {
        State next = states_.back();
        next.since_ns = std::max(next.since_ns, time_ns);
        states_.push_back(std::move(next));
    }
    states_.back().intervals.put(mapping.start, mapping.end, id);
}

AddressSpace AddressSpace::fork() const {
    AddressSpace copy;
    copy.states_.front().intervals = states_.back().intervals;
    return copy;
}

AddressSpace::Found AddressSpace::find(std::uint64_t address, std::uint64_t time_ns) const {
    IntervalTree::Gap gap;
    const auto* newest = states_.back().intervals.find(address, gap);
    if (newest == nullptr) return {std::nullopt, gap.start, gap.end};
    if (newest->only) return {newest->mapping, newest->start, newest->end};
    auto state = std::upper_bound(
        states_.begin() + 1, states_.end(), time_ns,
        [](std::uint64_t time, const State& entry) { return time < entry.since_ns; });
    --state;
    // Not there yet: the first that was.
    if (state->intervals.find(address) == nullptr) {
        state = std::partition_point(state, states_.end(), [&](const State& entry) {
            return entry.intervals.find(address) == nullptr;
        });
    }
    return {state->intervals.find(address)->mapping};
}

}  // namespace ringside::profile
