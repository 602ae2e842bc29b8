#include "session/sampled_counters.h"

#include <algorithm>

namespace ringside::session {

SampledCounters::SampledCounters(std::span<const ComponentEvent> events)
    : now_(events.size()), before_(events.size()), values_(events.size()) {
    for (const auto& event : events) levels_.push_back(event.level);
}

Result<void> SampledCounters::start() {
    source_restarted();
    std::fill(values_.begin(), values_.end(), Reading{});
    if (auto done = advance(); !done) return done;
    running_ = true;
    return {};
}

Result<void> SampledCounters::stop() {
    auto done = running_ ? advance() : Result<void>();
    running_ = false;
    return done;
}

Result<void> SampledCounters::reset() {
    if (running_) return start();
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!levels_[i]) values_[i] = Reading{0, values_[i].state};
    }
    return {};
}

Result<void> SampledCounters::read(std::span<Reading> out) {
    if (running_) {
        if (auto done = advance(); !done) return done;
    }
    std::copy(values_.begin(), values_.end(), out.begin());
    return {};
}

std::int64_t SampledCounters::gained(std::size_t, std::int64_t before, std::int64_t now) const {
    return std::max<std::int64_t>(now - before, 0);
}

void SampledCounters::source_restarted() {
    std::fill(before_.begin(), before_.end(), std::nullopt);
}

// A source that was not there at the start counts from its first appearance; one that goes away
// keeps what it had gained, and says so in its state.
Result<void> SampledCounters::advance() {
    std::fill(now_.begin(), now_.end(), Reading{});
    if (auto done = sample(now_); !done) return done;
    for (std::size_t i = 0; i < now_.size(); ++i) {
        Reading& value = values_[i];
        const std::int64_t sum = value.value;
        const bool known = now_[i].state == CounterState::ok;
        value = now_[i];
        if (!known) value.value = sum;
        if (!known || levels_[i]) continue;
        value.value = sum + (before_[i] ? gained(i, *before_[i], now_[i].value) : 0);
        before_[i] = now_[i].value;
    }
    return {};
}

}  // namespace ringside::session
