// Counters over a source that only knows its present values (a file under /proc or /sys, a library
// call): what it gained since the set's start is summed up.
#pragma once

#include <optional>
#include <vector>

#include "session/component.h"

namespace ringside::session {

class SampledCounters : public Counters {
  public:
    explicit SampledCounters(std::span<const ComponentEvent> events);

    Result<void> start() override;
    Result<void> stop() override;
    Result<void> reset() override;
    Result<void> read(std::span<Reading> out) override;

  protected:
    // The present values, totals since whenever the source began. Set the state where there is
    // none; then the value is ignored.
    virtual Result<void> sample(std::span<Reading> out) = 0;

    // What a total gained between two samples. By default a source that stepped back (a device was
    // reset, the kernel corrected itself) gained nothing, and goes on counting from there.
    virtual std::int64_t gained(std::size_t index, std::int64_t before, std::int64_t now) const;

    // For use in sample(): the source began anew, and totals go on from what it shows now.
    void source_restarted();

  private:
    Result<void> advance();

    std::vector<bool> levels_;
    std::vector<Reading> now_;
    std::vector<std::optional<std::int64_t>> before_;  // the source's last known value
    std::vector<Reading> values_;                      // what was gained so far
    bool running_ = false;
};

}  // namespace ringside::session
