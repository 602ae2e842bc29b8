// Counts samples into a profile, one after the other: from a file or as they happen.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/index_table.h"
#include "profile/profile.h"
#include "profile/unwinder.h"

namespace ringside::profile {

class Collector {
  public:
    // `profile` has its world and its events. All must outlive this.
    Collector(Profile& profile, const LoadOptions& options)
        : profile_(profile),
          keep_(options.keep),
          filter_(options.filter),
          switches_in_program_(options.switches_in_program),
          unwinder_(*profile.world, options.programs) {}

    // Without stacks, the last few are counted by settle().
    void count(std::size_t event, const perf::FullSample& sample, std::uint64_t time_ns);
    void settle();

  private:
    // A sample whose place is being fetched from memory while the next ones are decoded.
    struct Waiting {
        Group key;
        Locations::Query place;
        std::uint64_t period = 0;
        std::uint64_t time_ns = 0;
    };
    // A frame of a chain with the world it belongs to.
    struct Frame {
        std::uint64_t address = 0;
        perf::CpuMode mode = perf::CpuMode::unknown;

        bool operator==(const Frame&) const = default;
    };

    CommId comm_of(const perf::FullSample& sample, std::uint64_t time_ns);
    Locations::Query place(const Frame& frame, const perf::FullSample& sample, ImageId user_image,
                           std::uint64_t time_ns);
    // By LoadOptions::switches_in_program.
    bool belongs_to_program(std::size_t event) const;
    Frame point_of(std::size_t event, const perf::FullSample& sample) const;
    void read_frames(const perf::FullSample& sample, ImageId user_image, std::uint64_t time_ns);
    StackId stack_of(const perf::FullSample& sample, ImageId user_image, CommId comm,
                     std::uint64_t time_ns);
    void settle(Waiting& sample);
    void add(const Group& key, std::uint64_t period, std::uint64_t time_ns);
    std::uint32_t group_of(const Group& key);
    std::uint32_t find_group(const Group& key);

    static constexpr std::size_t most_waiting = 16;
    std::array<Waiting, most_waiting> waiting_;  // those from settled_ to waited_, in a ring
    std::size_t settled_ = 0;
    std::size_t waited_ = 0;

    Profile& profile_;
    const Keep& keep_;
    const Filter& filter_;
    bool switches_in_program_;
    Unwinder unwinder_;
    base::IndexTable groups_;
    static constexpr std::uint32_t no_group = ~std::uint32_t{0};
    base::LargeVector<std::uint32_t> latest_;  // group, by stack or location
    std::vector<std::uint64_t> unwound_;
    std::vector<Frame> frames_;  // innermost first
    std::vector<Frame> last_frames_;
    std::vector<Locations::Query> places_;  // of the frames that this chain does not share
    std::vector<StackId> path_;             // of the last chain, outermost first
    ImageId last_image_ = 0;
    std::uint32_t last_pid_ = 0;
    std::uint32_t last_machine_ = 0;
    StackId last_root_ = empty_stack;
};

}  // namespace ringside::profile
