// Overflows: a counter that has counted so much more interrupts the program, or a timer looks.
#include <algorithm>
#include <array>

#include "papi/errors.h"
#include "papi/library.h"
#include "papi/profile.h"
#include "papi/set.h"

namespace ringside::papi {

namespace {

constexpr int profile_flags = PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS |
                              PAPI_PROFIL_BUCKETS | PAPI_PROFIL_FORCE_SW | PAPI_PROFIL_DATA_EAR |
                              PAPI_PROFIL_INST_EAR;

bool one_bucket_size(int flags) {
    const int buckets = flags & PAPI_PROFIL_BUCKETS;
    return (buckets & (buckets - 1)) == 0;
}

bool good_scale(const PAPI_sprofil_t& histogram) {
    return histogram.pr_scale == 131072 || (histogram.pr_scale > 1 && histogram.pr_scale <= 65536);
}

// PAPI_sprofil() has no handler of its own; PAPI_overflow() wants one.
void no_handler(int, void*, long long, void*) {}

}  // namespace

Watched* Set::watched(int code) {
    const auto found = std::find_if(watched_.begin(), watched_.end(),
                                    [&](const Watched& event) { return event.code == code; });
    return found == watched_.end() ? nullptr : &*found;
}

int Set::arm_one(session::Counters& counters, std::size_t position, int threshold) {
    OverflowHandler handler;
    if (threshold > 0) {
        handler = [this](const Overflow& overflow) {
            report(overflow.ip, overflow.events, 0, overflow.context);
        };
    }
    auto done =
        counters.on_overflow(position, static_cast<std::uint64_t>(threshold), std::move(handler));
    return done ? PAPI_OK : code_of(done.error());
}

// What was watched before the counters were opened anew is watched again.
int Set::arm(session::Counters& counters) {
    if ((watch_flags_ & PAPI_OVERFLOW_FORCE_SW) != 0) return PAPI_OK;
    for (const auto& event : watched_) {
        const auto index = index_of(event.code);
        if (!index) continue;
        const auto position = members_[*index].positions.front();
        if (const int result = arm_one(counters, position, event.threshold); result != PAPI_OK) {
            return result;
        }
    }
    return PAPI_OK;
}

int Set::watch(int code, int threshold, int flags, PAPI_overflow_handler_t handler) {
    if (running()) return PAPI_EISRUN;
    if ((state_ & (PAPI_ATTACHED | PAPI_CPU_ATTACHED)) != 0) return PAPI_EINVAL;
    const auto index = index_of(code);
    if (!index) return PAPI_ENOEVNT;
    if (threshold < 0) return PAPI_EINVAL;
    const bool by_timer = (flags & PAPI_OVERFLOW_FORCE_SW) != 0;
    Watched* known = watched(code);
    if (threshold == 0) {
        if (known == nullptr) return PAPI_EINVAL;
        return forget_watched(static_cast<std::size_t>(known - watched_.data()));
    }
    if (!by_timer && members_[*index].formula.derived()) return PAPI_EINVAL;
    if (handler == nullptr) return PAPI_EINVAL;
    if (!watched_.empty() && by_timer != ((watch_flags_ & PAPI_OVERFLOW_FORCE_SW) != 0)) {
        return PAPI_ECNFLCT;
    }
    if (!by_timer) {
        const auto position = members_[*index].positions.front();
        if (const int result = arm_one(*counters_, position, threshold); result != PAPI_OK) {
            return result;
        }
    }
    if (known == nullptr) known = &watched_.emplace_back();
    known->code = code;
    known->threshold = threshold;
    handler_ = handler;
    watch_flags_ = by_timer ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
    state_ |= PAPI_OVERFLOWING;
    return PAPI_OK;
}

int Set::forget_watched(std::size_t index) {
    const auto member = index_of(watched_[index].code);
    if (member && (watch_flags_ & PAPI_OVERFLOW_FORCE_SW) == 0) {
        const auto position = members_[*member].positions.front();
        if (const int result = arm_one(*counters_, position, 0); result != PAPI_OK) return result;
    }
    watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(index));
    if (watched_.empty()) {
        state_ &= ~(PAPI_OVERFLOWING | PAPI_PROFILING);
        watch_flags_ = profile_flags_ = 0;
        handler_ = nullptr;
    }
    return PAPI_OK;
}

int Set::profile(std::span<PAPI_sprofil_t> histograms, int code, int threshold, int flags) {
    if (running()) return PAPI_EISRUN;
    if ((state_ & (PAPI_ATTACHED | PAPI_CPU_ATTACHED)) != 0) return PAPI_EINVAL;
    if (!index_of(code)) return PAPI_ENOEVNT;
    if (threshold < 0 || (threshold > 0 && histograms.empty())) return PAPI_EINVAL;
    if (!std::all_of(histograms.begin(), histograms.end(), good_scale)) return PAPI_EINVAL;
    if ((flags & ~profile_flags) != 0 || !one_bucket_size(flags)) return PAPI_EINVAL;
    const int by_timer =
        (flags & PAPI_PROFIL_FORCE_SW) != 0 ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
    if (const int result = watch(code, threshold, by_timer, no_handler); result != PAPI_OK) {
        return result;
    }
    if (threshold == 0) return PAPI_OK;
    watched(code)->histograms = histograms;
    watched(code)->own_histogram.reset();
    profile_flags_ = flags;
    state_ |= PAPI_PROFILING;
    return PAPI_OK;
}

int Set::profile_one(const PAPI_sprofil_t& histogram, int code, int threshold, int flags) {
    auto own = std::make_unique<PAPI_sprofil_t>(histogram);
    const int result = profile({own.get(), 1}, code, threshold, flags);
    if (result == PAPI_OK) watched(code)->own_histogram = std::move(own);
    return result;
}

// In a signal handler.
void Set::report(std::uintptr_t pc, std::uint64_t positions, std::int64_t excess, void* context) {
    if (!running() || positions == 0) return;
    if ((state_ & PAPI_PROFILING) == 0) {
        if (handler_ != nullptr) {
            void* const address = reinterpret_cast<void*>(pc);  // NOLINT(performance-no-int-to-ptr)
            handler_(handle_, address, static_cast<long long>(positions), context);
        }
        return;
    }
    for (const auto& event : watched_) {
        const auto index = index_of(event.code);
        if (!index) continue;
        const auto position = members_[*index].positions.front();
        if ((positions >> position & 1) != 0) {
            tally(event.histograms, pc, profile_flags_, excess, event.threshold);
        }
    }
}

void Set::look_for_overflow(std::uintptr_t pc, void* context) {
    if (!running()) return;
    std::array<std::int64_t, 64> counts{};
    if (natives_.size() > counts.size()) return;
    const auto now = std::span(counts).first(natives_.size());
    if (!counters_->read_values(now)) return;
    std::uint64_t positions = 0;
    std::int64_t excess = 0;
    for (auto& event : watched_) {
        const auto index = index_of(event.code);
        if (!index) continue;
        const auto& member = members_[*index];
        const std::int64_t value = member.value(now);
        if (value < event.deadline) continue;
        positions |= std::uint64_t{1} << member.positions.front();
        excess = value - event.deadline;
        event.deadline = value + event.threshold;
    }
    report(pc, positions, excess, context);
}

}  // namespace ringside::papi
