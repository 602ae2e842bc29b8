// Stacks of several profiles joined by name into one tree. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/stacks.h"

namespace ringside::analysis {

class FlameJoin {
  public:
    explicit FlameJoin(std::vector<std::string> series);

    // Adds `factor` times the weights of `stacks` to one of the series.
    void add(std::size_t series, const model::StackTree& stacks, double factor = 1);

    // The tree with at most `most` places besides the root: the heaviest, by the largest share that
    // they have in any series.
    model::FlameFigure figure(std::size_t most) const;

  private:
    std::uint32_t frame_id(const model::Frame& frame);
    std::uint32_t child(std::uint32_t parent, std::uint32_t frame);

    model::FlameFigure all_;
    std::unordered_map<std::string, std::uint32_t> frame_ids_;
    std::unordered_map<std::uint64_t, std::uint32_t> children_;  // parent and frame to the node
};

}  // namespace ringside::analysis
