// Stacks by name: places of one function are one frame, threads of one name one root. What flame
// graphs and most exchange formats are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::profile {

class CallTree {
  public:
    struct Node {
        std::uint32_t parent = 0;  // smaller than the node's own number; the root is its own
        std::uint32_t frame = 0;   // into frames()
        std::uint64_t self = 0;    // weight of samples that end here
        std::uint64_t total = 0;   // with all below
    };
    struct Frame {
        std::string name;    // a function, a thread's name, or "[libc.so.6]" for what has no name
        std::string module;  // empty for threads
        perf::CpuMode mode = perf::CpuMode::unknown;
    };

    // Of one event. `profile` was loaded with stacks.
    CallTree(const Profile& profile, const Naming& naming, std::size_t event);

    // The same samples from the innermost frame outwards: below a function are its callers.
    CallTree inverted() const;

    const std::vector<Node>& nodes() const { return nodes_; }  // the first is the root
    const std::vector<Frame>& frames() const { return frames_; }
    // By the order of their names, so that equal profiles give equal files; heaviest first if
    // asked.
    std::vector<std::vector<std::uint32_t>> children(bool heaviest_first = false) const;

  private:
    // Finds a node among its parent's children, or adds it.
    class Growing;

    CallTree() = default;
    void sum_up();
    std::vector<std::uint32_t> name_frames(const Naming& naming);
    std::uint32_t comm_frame_of(const Profile& profile, CommId comm);

    std::vector<Node> nodes_;
    std::vector<Frame> frames_;
    std::vector<std::uint32_t> comm_frames_;
};

}  // namespace ringside::profile
