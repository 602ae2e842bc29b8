// Where the kernel subtracts steal from CPU time (CONFIG_PARAVIRT_TIME_ACCOUNTING, in force),
// perf's task-clock still includes it: the difference of the two is what was stolen from the
// thread.
#include "clocks/meter.h"
#include "clocks/task_clock.h"
#include "proc/stat.h"

namespace ringside::clocks {

namespace {

// task-clock and CPU time begin and end at different places of a context switch, so that the
// difference is off by a little each time. Against the tracer: 0.5 us a switch with warm caches,
// 3.5 us among busy neighbours, and 14 us, the other way, on an overloaded machine.
constexpr std::uint64_t allowance_per_switch_ns = 50'000;

// Both clocks, read back to back.
struct Moment {
    std::uint64_t occupied_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t error_ns = 0;  // CPU time that passed around the reading of task-clock
};

class DifferenceMeter final : public Meter {
  public:
    DifferenceMeter(const base::SysRoot& root, const Subject& subject, bool excludes_irq,
                    TaskClock clock, const CpuTime& before)
        : root_(root), subject_(subject), excludes_irq_(excludes_irq), clock_(std::move(clock)) {
        start_ = moment().value_or(Moment{});
        // Opened between `before` and now; nobody knows where in between each event began.
        start_.error_ns += start_.cpu_ns > before.ns ? start_.cpu_ns - before.ns : 0;
        start_switches_ = read_switches(root_, subject_);
        start_irq_ns_ = irq_ns();
    }

    std::optional<Measured> read() override {
        const auto now = moment();
        if (!now) return std::nullopt;
        Measured measured;
        measured.cpu_ns = now->cpu_ns - start_.cpu_ns;
        measured.occupied_ns = now->occupied_ns - start_.occupied_ns;
        Steal& steal = measured.steal;
        steal.method = StealMethod::cpu_time_excludes_steal;
        steal.ns =
            *measured.occupied_ns > *measured.cpu_ns ? *measured.occupied_ns - *measured.cpu_ns : 0;
        const std::uint64_t all_switches = read_switches(root_, subject_);
        const std::uint64_t switches =
            all_switches > start_switches_ ? all_switches - start_switches_ : 0;
        steal.error_ns = start_.error_ns + now->error_ns + switches * allowance_per_switch_ns;
        if (excludes_irq_) {
            steal.error_ns += irq_ns() - start_irq_ns_;
            steal.reason = "this kernel takes interrupt time out of CPU time as well";
        }
        return measured;
    }

  private:
    std::optional<Moment> moment() const {
        const auto before = read_cpu_time(root_, subject_);
        const auto occupied_ns = clock_.read_ns();
        const auto after = read_cpu_time(root_, subject_);
        if (!before || !occupied_ns || !after) return std::nullopt;
        const std::uint64_t width_ns = after->ns - before->ns;
        return Moment{*occupied_ns, before->ns + width_ns / 2, width_ns / 2 + 1 + after->lag_ns};
    }

    // All interrupt time of the machine; the subject's part cannot be larger.
    std::uint64_t irq_ns() const {
        if (!excludes_irq_) return 0;
        const auto stat = proc::read_stat(root_);
        return stat ? (stat->total.irq + stat->total.softirq) * proc::tick_ns() : 0;
    }

    base::SysRoot root_;
    Subject subject_;
    bool excludes_irq_;
    TaskClock clock_;
    Moment start_;
    std::uint64_t start_switches_ = 0;
    std::uint64_t start_irq_ns_ = 0;
};

}  // namespace

Result<MeterPtr> make_difference_meter(const base::SysRoot& root, const Subject& subject,
                                       bool excludes_irq) {
    const auto before = read_cpu_time(root, subject);
    auto clock = TaskClock::open(root, subject);
    if (!clock) return clock.error();
    return MeterPtr(std::make_unique<DifferenceMeter>(
        root, subject, excludes_irq, std::move(*clock), before.value_or(CpuTime{})));
}

}  // namespace ringside::clocks
