#include "session/sampled_counters.h"

#include <algorithm>

namespace ringside::session {

SampledCounters::SampledCounters(std::span<const ComponentEvent> events)
    : base_(events.size()), now_(events.size()), last_(events.size()) {
    for (const auto& event : events) levels_.push_back(event.level);
}

Result<void> SampledCounters::start() {
    if (auto done = sample(base_); !done) return done.error();
    for (std::size_t i = 0; i < last_.size(); ++i) last_[i] = Reading{0, base_[i].state};
    running_ = true;
    return {};
}

Result<void> SampledCounters::stop() {
    auto done = sample_differences(last_);
    running_ = false;
    return done;
}

Result<void> SampledCounters::reset() {
    if (running_) return start();
    for (auto& reading : last_) reading = Reading{0, reading.state};
    return {};
}

Result<void> SampledCounters::read(std::span<Reading> out) {
    if (running_) {
        if (auto done = sample_differences(last_); !done) return done.error();
    }
    std::copy(last_.begin(), last_.end(), out.begin());
    return {};
}

// A source may step back (a device was reset, the kernel corrected itself): then nothing is added.
// One that was not there at the start counts from its first appearance.
Result<void> SampledCounters::sample_differences(std::span<Reading> out) {
    std::fill(now_.begin(), now_.end(), Reading{});
    if (auto done = sample(now_); !done) return done.error();
    for (std::size_t i = 0; i < now_.size(); ++i) {
        const bool known = now_[i].state == CounterState::ok;
        if (known && !levels_[i]) {
            if (base_[i].state != CounterState::ok) base_[i] = now_[i];
            const std::int64_t added = now_[i].value - base_[i].value;
            now_[i].value = std::max(added, last_[i].value);
        }
        if (!known) now_[i].value = last_[i].value;
        out[i] = now_[i];
    }
    return {};
}

}  // namespace ringside::session
