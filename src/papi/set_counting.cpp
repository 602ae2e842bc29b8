// Starting, reading and stopping. PAPI_read() is the path that programs measure with; nothing on it
// allocates or looks anything up.
#include <algorithm>
#include <array>
#include <cmath>

#include "papi/errors.h"
#include "papi/library.h"
#include "papi/set.h"

namespace ringside::papi {

std::int64_t Member::value(std::span<const std::int64_t> counts) const {
    if (!formula.derived()) return counts[positions.front()];
    std::array<double, PAPI_MAX_INFO_TERMS> terms{};
    for (std::size_t i = 0; i < positions.size(); ++i) {
        terms[i] = static_cast<double>(counts[positions[i]]);
    }
    const double value = formula.expression->evaluate(std::span(terms).first(positions.size()));
    return std::isfinite(value) ? std::llround(value) : 0;
}

void Set::deliver(long long* values) {
    for (std::size_t i = 0; i < members_.size(); ++i) values[i] = members_[i].value(counts_);
}

int Set::start() {
    if (component_ < 0) return PAPI_ENOCMP;
    if (running()) return PAPI_EISRUN;
    if (members_.empty()) return PAPI_EINVAL;
    const unsigned bit = 1u << component_;
    // PAPI's rule: of each component one set at a time in a thread.
    if (holds_thread() && (owner_->running.fetch_or(bit) & bit) != 0) return PAPI_EISRUN;
    for (auto& event : watched_) event.deadline = event.threshold;
    state_ = (state_ & ~PAPI_STOPPED) | PAPI_RUNNING;
    plainly_ = plain_ ? counters_.get() : nullptr;
    int result = PAPI_OK;
    if (auto started = counters_->start(); !started) result = code_of(started.error());
    if (result == PAPI_OK && (watch_flags_ & PAPI_OVERFLOW_FORCE_SW) != 0) {
        const auto& timer = library().timer;
        result = timer_.start(*this, timer.number, timer.signal, timer.ns);
    }
    if (result != PAPI_OK) {
        plainly_ = nullptr;
        (void)counters_->stop();
        state_ = (state_ & ~PAPI_RUNNING) | PAPI_STOPPED;
        if (holds_thread()) owner_->running.fetch_and(~bit);
    }
    return result;
}

int Set::stop(long long* values) {
    if (component_ < 0) return PAPI_ENOCMP;
    if (!running()) return PAPI_ENOTRUN;
    cease();
    int result = PAPI_OK;
    if (auto stopped = counters_->stop(); !stopped) result = code_of(stopped.error());
    if (const int read = read_now(kept_.data()); read != PAPI_OK) result = read;
    if (values != nullptr) std::copy(kept_.begin(), kept_.end(), values);
    return result;
}

void Set::cease() {
    timer_.stop();
    plainly_ = nullptr;
    state_ = (state_ & ~PAPI_RUNNING) | PAPI_STOPPED;
    if (holds_thread()) owner_->running.fetch_and(~(1u << component_));
}

int Set::read(long long* values) {
    if (running()) return read_now(values);
    if (component_ < 0) return PAPI_ENOCMP;
    std::copy(kept_.begin(), kept_.end(), values);
    return PAPI_OK;
}

int Set::read_now(long long* values) {
    const auto counts = plain_ ? std::span(as_counts(values), natives_.size()) : std::span(counts_);
    if (auto done = counters_->read_values(counts); !done) return code_of(done.error());
    if (!plain_) deliver(values);
    return PAPI_OK;
}

int Set::accumulate(long long* values) {
    std::vector<long long> now(members_.size());
    if (const int result = read(now.data()); result != PAPI_OK) return result;
    for (std::size_t i = 0; i < now.size(); ++i) values[i] += now[i];
    return reset();
}

int Set::reset() {
    if (component_ < 0) return PAPI_ENOCMP;
    std::fill(kept_.begin(), kept_.end(), 0);
    if (!running()) return PAPI_OK;
    for (auto& event : watched_) event.deadline = event.threshold;
    if (auto done = counters_->reset(); !done) return code_of(done.error());
    return PAPI_OK;
}

}  // namespace ringside::papi
