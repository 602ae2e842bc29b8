#include "lab/guest.h"

#include <algorithm>

namespace ringside::lab {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

// Where in its phase the thread leaves the guest next; never_ns if no more.
std::uint64_t next_exit_ns(const GuestThread& thread) {
    const Phase& phase = thread.phase();
    if (thread.exits_done == phase.exits) return never_ns;
    return phase.ns * (thread.exits_done + 1) / (phase.exits + 1);
}

}  // namespace

Guest::Guest(const MachinePlan& plan, const Encodings& encodings, const Costs& costs,
             std::unique_ptr<Profiler> profiler)
    : costs_(costs),
      encodings_(encodings),
      profiler_(std::move(profiler)),
      threads_(plan.threads.begin(), plan.threads.end()),
      next_tick_ns_(plan.threads.size() > 1 ? costs.guest_tick_ns : never_ns),
      next_background_ns_(profiler_ && profiler_->follows_threads() ? costs.background_ns
                                                                    : never_ns) {}

void Guest::boot(PmuPort& port) {
    if (profiler_) profiler_->boot(port);
}

void Guest::finish(PmuPort& port) {
    if (profiler_) profiler_->finish(port, running_, now_ns_);
}

// When the nearest expected overflow's interrupt arrives; never if it is further than a counter's
// half range, which no scenario lasts.
std::uint64_t Guest::overflow_ns() const {
    constexpr std::uint64_t too_far = std::uint64_t{1} << 40;
    const EventNumbers to_overflow = profiler_->to_overflow();
    const GuestThread& thread = running();
    std::uint64_t nearest_ns = never_ns;
    for (unsigned i = 0; i < event_names; ++i) {
        const std::uint64_t per_ms = thread.phase().per_ms[i];
        if (to_overflow[i] == 0 || to_overflow[i] > too_far || per_ms == 0) continue;
        const std::uint64_t needed = to_overflow[i] * ns_per_ms - thread.owed[i];
        nearest_ns = std::min(nearest_ns, (needed + per_ms - 1) / per_ms);
    }
    return nearest_ns == never_ns ? never_ns : nearest_ns + costs_.interrupt_latency_ns;
}

std::uint64_t Guest::next_stop_ns(std::uint64_t most_ns) const {
    const GuestThread& thread = running();
    std::uint64_t stop_ns = most_ns;
    if (thread.phase().ns != 0) {
        const std::uint64_t place = std::min(thread.phase().ns, next_exit_ns(thread));
        stop_ns = std::min(stop_ns, place - thread.done_ns);
    }
    std::uint64_t due_ns = next_tick_ns_;
    if (profiler_) {
        due_ns = std::min({due_ns, next_background_ns_, profiler_->timer_ns()});
        stop_ns = std::min(stop_ns, overflow_ns());
    }
    stop_ns = std::min(stop_ns, due_ns - std::min(due_ns, now_ns_));
    return std::max<std::uint64_t>(1, stop_ns);
}

std::span<const Occurrence> Guest::run(std::uint64_t ns) {
    GuestThread& thread = running();
    EventNumbers numbers{};
    unsigned kinds = 0;
    for (unsigned i = 0; i < event_names; ++i) {
        const std::uint64_t per_ms = thread.phase().per_ms[i];
        if (per_ms == 0) continue;
        const std::uint64_t owed = thread.owed[i] + per_ms * ns;
        numbers[i] = owed / ns_per_ms;
        thread.owed[i] = owed % ns_per_ms;
        thread.truth[i] += numbers[i];
        if (thread.phase().kernel) thread.kernel_truth[i] += numbers[i];
        const auto& encoding = encodings_[i];
        if (encoding) happened_[kinds++] = {encoding->select, encoding->umask, numbers[i]};
    }
    now_ns_ += ns;
    thread.done_ns += ns;
    if (profiler_) profiler_->happened(numbers);
    return {happened_.data(), kinds};
}

bool Guest::takes_exit() {
    GuestThread& thread = running();
    if (thread.phase().ns == 0 || thread.done_ns < next_exit_ns(thread)) return false;
    ++thread.exits_done;
    return true;
}

void Guest::end_phase() {
    GuestThread& thread = running();
    if (thread.phase().ns == 0 || thread.done_ns < thread.phase().ns) return;
    thread.done_ns = 0;
    thread.exits_done = 0;
    thread.current = (thread.current + 1) % thread.plan->phases.size();
}

void Guest::kernel_work(PmuPort& port) {
    if (profiler_ && !running().started) {
        profiler_->start(port, running_, now_ns_);
        running().started = true;
    }
    end_phase();
    if (profiler_ && now_ns_ >= profiler_->timer_ns()) {
        profiler_->on_timer(port, running_, now_ns_);
    }
    if (now_ns_ >= next_background_ns_) {
        next_background_ns_ += costs_.background_ns;
        profiler_->switch_out(port, running_, now_ns_);
        profiler_->switch_in(port, running_, now_ns_);
    }
    if (now_ns_ < next_tick_ns_) return;
    next_tick_ns_ += costs_.guest_tick_ns;
    switch_to(port, (running_ + 1) % unsigned(threads_.size()));
}

void Guest::switch_to(PmuPort& port, unsigned thread) {
    if (profiler_) profiler_->switch_out(port, running_, now_ns_);
    running_ = thread;
    if (!profiler_) return;
    if (running().started) return profiler_->switch_in(port, running_, now_ns_);
    profiler_->start(port, running_, now_ns_);
    running().started = true;
}

void Guest::interrupt(PmuPort& port) {
    if (!profiler_) return;
    GuestThread& thread = running();
    thread.samples[thread.current] += profiler_->interrupt(port);
}

}  // namespace ringside::lab
