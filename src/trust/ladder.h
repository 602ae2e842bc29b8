// How many counters there are, found by trying: pinned events are added until one does not get on.
// A pinned event is on a counter always or in error, so that the kernel cannot hide a lack of
// counters by taking turns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/event_fd.h"
#include "trust/judge.h"

namespace ringside::trust {

// Holds the counters it found until it is destroyed. For the thread that made it.
class Ladder {
  public:
    // Instructions first, then cycles, then reference cycles: where a counter is fixed to one of
    // them (Intel's fixed counters, arm64's cycle counter), it is found too.
    static Ladder climb();

    std::size_t size() const { return rungs_.size(); }
    // Why not even one event could be opened or got on.
    const std::string& why_empty() const { return why_empty_; }
    const std::string& event(std::size_t rung) const { return rungs_[rung].event; }

    // What every counter gains over the known loop, less what an empty measurement gains. The
    // counters run on; nothing is reprogrammed, so that a counter once lost is not won back.
    // `iterations` must be more than 1.
    std::vector<SlotObservation> measure(std::uint64_t iterations) const;

  private:
    struct Rung {
        std::string event;
        bool counts_instructions;
        perf::EventFd fd;
    };
    using Readings = std::vector<std::optional<std::uint64_t>>;

    Readings read() const;
    Readings gained(std::uint64_t iterations) const;

    std::vector<Rung> rungs_;
    std::string why_empty_;
};

}  // namespace ringside::trust
