#include "profile/call_tree.h"

#include <algorithm>
#include <unordered_map>

#include "base/index_table.h"

namespace ringside::profile {

// One frame for all functions that read the same; what could not be named is one frame a module.
std::vector<std::uint32_t> CallTree::name_frames(const Naming& naming) {
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> of_function;
    of_function.reserve(naming.functions.size());
    for (const auto& function : naming.functions) {
        std::string name = function.name;
        if (!function.resolved)
            name = function.module.starts_with('[') ? function.module : "[" + function.module + "]";
        const std::string key =
            name + '\n' + function.module + '\n' + std::string(to_string(function.mode));
        const auto [found, added] = known.emplace(key, static_cast<std::uint32_t>(frames_.size()));
        if (added) frames_.push_back({std::move(name), function.module, function.mode});
        of_function.push_back(found->second);
    }
    return of_function;
}

std::uint32_t CallTree::comm_frame_of(const Profile& profile, CommId comm) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    if (comm_frames_.size() <= comm) comm_frames_.resize(comm + 1, none);
    if (comm_frames_[comm] == none) {
        comm_frames_[comm] = static_cast<std::uint32_t>(frames_.size());
        frames_.push_back({profile.world->comm(comm), "", perf::CpuMode::unknown});
    }
    return comm_frames_[comm];
}

class CallTree::Growing {
  public:
    explicit Growing(CallTree& tree) : nodes_(tree.nodes_) { nodes_.push_back({}); }

    std::uint32_t child(std::uint32_t parent, std::uint32_t frame) {
        return index_.find_or_add(
            base::mix_bits(std::uint64_t{parent} << 32 | frame),
            [&](std::uint32_t node) {
                return nodes_[node].parent == parent && nodes_[node].frame == frame;
            },
            [&] {
                nodes_.push_back({parent, frame, 0, 0});
                return static_cast<std::uint32_t>(nodes_.size() - 1);
            });
    }

  private:
    std::vector<Node>& nodes_;
    base::IndexTable index_;
};

CallTree::CallTree(const Profile& profile, const Naming& naming, std::size_t event) {
    const auto of_function = name_frames(naming);
    Growing growing(*this);
    std::vector<std::uint32_t> of_stack(profile.stacks.size());
    for (StackId id = 1; id < of_stack.size(); ++id) {
        const auto& stack = profile.stacks[id];
        const std::uint32_t parent = of_stack[stack.caller];
        if (is_comm_frame(stack.location)) {
            const auto comm = comm_of_frame(stack.location);
            of_stack[id] = growing.child(parent, comm_frame_of(profile, comm));
            continue;
        }
        of_stack[id] = growing.child(parent, of_function[naming.of_location[stack.location]]);
        for (const auto function : naming.inlined_in(stack.location))
            of_stack[id] = growing.child(of_stack[id], of_function[function]);
    }
    for (const auto& group : profile.groups)
        if (group.event == event) nodes_[of_stack[group.stack]].self += group.period;
    sum_up();
}

void CallTree::sum_up() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        nodes_[i].total += nodes_[i].self;
        if (i > 0) nodes_[nodes_[i].parent].total += nodes_[i].total;
    }
}

CallTree CallTree::inverted() const {
    CallTree tree;
    tree.frames_ = frames_;
    Growing growing(tree);
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
        if (nodes_[i].self == 0) continue;
        std::uint32_t at = 0;
        for (std::uint32_t node = i; node != 0; node = nodes_[node].parent) {
            at = growing.child(at, nodes_[node].frame);
            tree.nodes_[at].total += nodes_[i].self;
        }
        tree.nodes_[growing.child(0, nodes_[i].frame)].self += nodes_[i].self;
        tree.nodes_[0].total += nodes_[i].self;
    }
    return tree;
}

std::vector<std::vector<std::uint32_t>> CallTree::children(bool heaviest_first) const {
    std::vector<std::vector<std::uint32_t>> result(nodes_.size());
    for (std::uint32_t i = 1; i < nodes_.size(); ++i)
        if (nodes_[i].total > 0) result[nodes_[i].parent].push_back(i);
    for (auto& list : result)
        std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (heaviest_first && nodes_[a].total != nodes_[b].total)
                return nodes_[a].total > nodes_[b].total;
            const Frame& one = frames_[nodes_[a].frame];
            const Frame& other = frames_[nodes_[b].frame];
            if (one.name != other.name) return one.name < other.name;
            return one.module != other.module ? one.module < other.module : one.mode < other.mode;
        });
    return result;
}

}  // namespace ringside::profile
