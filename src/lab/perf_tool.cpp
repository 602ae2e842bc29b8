// perf's commands and a program that counts itself, as sequences of perf core operations. The order
// was taken from the traps of such guests on a real KVM host (Debian 12, arm64).
#include <algorithm>
#include <cmath>

#include "lab/guest_perf.h"
#include "lab/profiler.h"

namespace ringside::lab {

namespace {

class PerfTool final : public Profiler {
  public:
    PerfTool(const MachinePlan& plan, const Encodings& encodings, const Costs& costs)
        : plan_(plan.profile),
          rotation_ns_(costs.rotation_ns),
          perf_(plan.model, encodings),
          next_read_ns_(plan_.interval_ms == 0 ? never_ns : plan_.interval_ms * 1'000'000) {
        const std::size_t contexts = follows_threads() ? plan.threads.size() : 1;
        for (std::size_t i = 0; i < contexts; ++i) {
            contexts_.push_back(perf_.make_context(plan_));
        }
    }

    bool follows_threads() const override { return plan_.tool != GuestTool::system_wide; }
    void boot(PmuPort& port) override { perf_.boot(port); }

    void start(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        if (!follows_threads()) {
            if (!started_) enable_each(port, contexts_[0], now_ns);
            started_ = true;
        } else if (plan_.tool == GuestTool::library) {
            enable_each(port, contexts_[thread], now_ns);
        } else {
            start_program(port, contexts_[thread], now_ns);
        }
        note_rotation(now_ns);
    }

    void switch_out(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        if (!follows_threads()) return;
        port.begin(KernelWork::switch_out);
        perf_.switch_out(port, contexts_[thread], now_ns);
    }
    void switch_in(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        if (!follows_threads()) return;
        port.begin(KernelWork::switch_in);
        perf_.switch_in(port, contexts_[thread], now_ns);
        note_rotation(now_ns);
    }

    // `stat` and `record` end with their program; the others switch off event by event. With -I
    // the last values are read before.
    void finish(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        PerfContext& context = contexts_[follows_threads() ? thread : 0];
        if (plan_.interval_ms != 0) read(port, context, now_ns);
        const bool ends = plan_.tool == GuestTool::stat || plan_.tool == GuestTool::record;
        port.begin(ends ? KernelWork::end : KernelWork::disable);
        if (ends) return perf_.switch_out(port, context, now_ns);
        for (std::size_t i = 0; i < context.events.size(); ++i) {
            perf_.disable(port, context, i, now_ns);
        }
    }

    unsigned interrupt(PmuPort& port) override { return perf_.interrupt(port); }

    std::uint64_t timer_ns() const override { return std::min(next_rotation_ns_, next_read_ns_); }
    void on_timer(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        PerfContext& context = contexts_[follows_threads() ? thread : 0];
        if (now_ns >= next_read_ns_) {
            read(port, context, now_ns);
            next_read_ns_ += plan_.interval_ms * 1'000'000;
        }
        if (now_ns < next_rotation_ns_) return;
        next_rotation_ns_ += rotation_ns_;
        if (context.needs_rotation) {
            port.begin(KernelWork::rotate);
            perf_.rotate(port, context, now_ns);
        } else {
            next_rotation_ns_ = never_ns;
        }
    }

    void happened(const EventNumbers& events) override { perf_.happened(events); }
    EventNumbers to_overflow() const override {
        EventNumbers nearest{};
        const_cast<GuestPerf&>(perf_).each_active([&](const PerfEvent& event) {
            std::uint64_t& found = nearest[index_of(event.name)];
            if (event.expected != 0 && (found == 0 || event.expected < found)) {
                found = event.expected;
            }
        });
        return nearest;
    }
    void starved(vpmu::Mask slots) override {
        perf_.each_active([&](PerfEvent& event) {
            if ((slots >> event.slot & 1) != 0) event.starved = true;
        });
    }

    std::vector<Count> counts(unsigned thread) const override {
        std::vector<Count> counts;
        for (const PerfEvent& event : contexts_[follows_threads() ? thread : 0].events) {
            counts.push_back({scaled(event), event.enabled_ns, event.running_ns, event.starved});
        }
        return counts;
    }

  private:
    static std::uint64_t scaled(const PerfEvent& event) {
        if (event.running_ns == 0 || event.running_ns >= event.enabled_ns) return event.count;
        const double share = double(event.enabled_ns) / double(event.running_ns);
        return std::uint64_t(std::llround(double(event.count) * share));
    }

    void enable_each(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
        port.begin(KernelWork::open);
        perf_.open(port, context, now_ns);
        port.begin(KernelWork::enable);
        for (std::size_t i = 0; i < context.events.size(); ++i) {
            perf_.enable(port, context, i, now_ns);
        }
    }

    // The child comes onto the CPU with events that are still off; exec enables them.
    void start_program(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
        if (plan_.tool == GuestTool::record) probe(port, now_ns);
        port.begin(KernelWork::switch_in);
        perf_.switch_in(port, context, now_ns);
        port.begin(KernelWork::start);
        perf_.enable_all(port, context, now_ns);
    }

    // perf record opens an event of its own, twice, to learn what this kernel can do.
    void probe(PmuPort& port, std::uint64_t now_ns) {
        port.begin(KernelWork::probe);
        ProfilePlan one = plan_;
        one.groups = {{plan_.groups[0][0]}};
        for (int round = 0; round < 2; ++round) {
            PerfContext context = perf_.make_context(one);
            context.present = true;
            perf_.enable_all(port, context, now_ns);
            perf_.switch_out(port, context, now_ns);
        }
    }

    void read(PmuPort& port, PerfContext& context, std::uint64_t now_ns) {
        port.begin(KernelWork::read);
        perf_.read(port, context, now_ns);
    }

    void note_rotation(std::uint64_t now_ns) {
        const auto needs = [](const PerfContext& context) { return context.needs_rotation; };
        const bool wanted = std::any_of(contexts_.begin(), contexts_.end(), needs);
        if (wanted && next_rotation_ns_ == never_ns) next_rotation_ns_ = now_ns + rotation_ns_;
    }

    const ProfilePlan& plan_;
    std::uint64_t rotation_ns_;
    GuestPerf perf_;
    std::vector<PerfContext> contexts_;
    bool started_ = false;
    std::uint64_t next_read_ns_;
    std::uint64_t next_rotation_ns_ = never_ns;
};

}  // namespace

std::unique_ptr<Profiler> make_perf(const MachinePlan& plan, const Encodings& encodings,
                                    const Costs& costs) {
    return std::make_unique<PerfTool>(plan, encodings, costs);
}

}  // namespace ringside::lab
