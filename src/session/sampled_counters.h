// Counters over a source that only knows its present values (a file under /proc or /sys, a library
// call): the set's start is remembered and taken off.
#pragma once

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

  private:
    Result<void> sample_differences(std::span<Reading> out);

    std::vector<bool> levels_;
    std::vector<Reading> base_;
    std::vector<Reading> now_;
    std::vector<Reading> last_;  // what stop() kept; totals never step back from here
    bool running_ = false;
};

}  // namespace ringside::session
