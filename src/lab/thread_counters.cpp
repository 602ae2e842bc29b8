// A guest kernel with perfctr-xen's counters (VEE 2011): each thread's configuration goes to the
// hypervisor with one hypercall, and its counts stand on the shared page.
#include <algorithm>

#include "base/assert.h"
#include "lab/guest_driver.h"
#include "lab/profiler.h"
#include "vpmu/bits.h"
#include "vpmu/threads.h"

namespace ringside::lab {

namespace {

// The page's functions ask it for a counter's raw value.
struct RawReader {
    PmuPort& port;
    std::uint64_t operator()(unsigned index) const { return port.raw_counter(index); }
};

class ThreadCounters final : public Profiler {
  public:
    ThreadCounters(const MachinePlan& plan, const Encodings& encodings, void* page)
        : plan_(plan.profile),
          model_(plan.model),
          events_(plan_.events()),
          page_(page),
          threads_(plan.threads.size()) {
        vpmu::LogicalControl control;
        control.slots = vpmu::low_bits(unsigned(events_.size()));
        control.sampling = samples() ? 1 : 0;
        control.control = model_.is_arm() ? vpmu::arm::pmcr_enable : 0;
        for (vpmu::Slot slot = 0; slot < events_.size(); ++slot) {
            vpmu::Event event = *encodings[index_of(events_[slot])];
            event.kernel = !plan_.user_only;
            control.selector[slot] = selector(event, slot);
        }
        for (Thread& thread : threads_) {
            thread.control = control;
            thread.left = plan_.period;
        }
    }

    bool follows_threads() const override { return true; }

    void start(PmuPort& port, unsigned thread, std::uint64_t now_ns) override {
        switch_in(port, thread, now_ns);
    }
    // The hypercall is skipped where it would change nothing; a thread that samples needs its own
    // counter values in any case.
    void switch_in(PmuPort& port, unsigned thread, std::uint64_t) override {
        port.begin(KernelWork::switch_in);
        Thread& own = threads_[thread];
        own.expected = own.left;
        if (samples()) own.control.value[0] = (0 - own.left) & model_.value_mask(0);
        const bool same = configured_ && own.control == loaded_ && !samples();
        if (!same || !plan_.skips_hypercalls) configure(port, own.control);
        vpmu::thread_in(vpmu::vcpu_of(page_, 0), 0, vpmu::thread_of(page_, thread),
                        own.control.slots, RawReader{port});
        running_ = thread;
    }
    void switch_out(PmuPort& port, unsigned thread, std::uint64_t) override {
        port.begin(KernelWork::switch_out);
        leave(port, thread);
    }
    void finish(PmuPort& port, unsigned thread, std::uint64_t) override {
        port.begin(KernelWork::end);
        leave(port, thread);
        configure(port, {});
    }

    // The virtual interrupt: counts so far are taken over, and the counter starts a new period. It
    // may come after its thread has left; the sample is that thread's.
    unsigned interrupt(PmuPort& port) override {
        port.begin(KernelWork::interrupt);
        leave(port, running_);
        unsigned taken = 0;
        for (Thread& thread : threads_) {
            taken += thread.pending;
            thread.pending = 0;
        }
        switch_in(port, running_, 0);
        return taken;
    }

    void happened(const EventNumbers& events) override {
        if (!samples()) return;
        std::uint64_t& expected = threads_[running_].expected;
        expected -= std::min(events[index_of(events_[0])], expected);
    }
    EventNumbers to_overflow() const override {
        EventNumbers nearest{};
        if (samples()) nearest[index_of(events_[0])] = threads_[running_].expected;
        return nearest;
    }

    std::vector<Count> counts(unsigned thread) const override {
        const vpmu::PageReader reader(page_, vpmu::page_bytes(1, unsigned(threads_.size()), 0));
        std::vector<Count> counts(events_.size());
        for (unsigned i = 0; i < events_.size(); ++i) {
            const auto stopped = [](unsigned) { return std::uint64_t{0}; };
            const bool read = reader.read_thread_count(thread, i, stopped, counts[i].value);
            RINGSIDE_ASSERT(read);
        }
        return counts;
    }

  private:
    struct Thread {
        vpmu::LogicalControl control;
        std::uint64_t left = 0;      // to the next sample, when it last ran
        std::uint64_t expected = 0;  // the same, less what has happened since
        unsigned pending = 0;        // samples whose interrupt is still to come
    };

    bool samples() const { return plan_.period != 0; }
    std::uint64_t selector(const vpmu::Event& event, vpmu::Slot slot) const {
        const std::uint64_t bits = selector_bits(model_, event);
        if (model_.is_arm()) return bits;
        const bool interrupts = samples() && slot == 0;
        return bits | vpmu::x86::select_enable | (interrupts ? vpmu::x86::select_interrupt : 0);
    }
    void configure(PmuPort& port, const vpmu::LogicalControl& control) {
        port.configure(control);
        loaded_ = control;
        configured_ = true;
    }
    void leave(PmuPort& port, unsigned thread) {
        vpmu::thread_out(vpmu::vcpu_of(page_, 0), vpmu::thread_of(page_, thread),
                         threads_[thread].control.slots, RawReader{port});
        if (samples()) note_period(threads_[thread], port.raw_counter(0));
    }
    // A counter that samples runs from -left through 0; beyond it, it holds the skid.
    void note_period(Thread& thread, std::uint64_t raw) const {
        const std::uint64_t mask = model_.value_mask(0);
        const bool wrapped = raw <= mask / 2;
        if (wrapped) ++thread.pending;
        thread.left = wrapped ? plan_.period - raw % plan_.period : (0 - raw) & mask;
    }

    const ProfilePlan& plan_;
    vpmu::PmuModel model_;
    std::vector<EventName> events_;
    void* page_;
    std::vector<Thread> threads_;
    unsigned running_ = 0;
    vpmu::LogicalControl loaded_;
    bool configured_ = false;
};

}  // namespace

std::unique_ptr<Profiler> make_thread_counters(const MachinePlan& plan, const Encodings& encodings,
                                               void* page) {
    return std::make_unique<ThreadCounters>(plan, encodings, page);
}

}  // namespace ringside::lab
