// Without BPF, on kernels whose CPU time includes steal: task-clock on each CPU tells how much of
// it the subject occupied, and /proc/stat how much was stolen of each CPU.
#include <algorithm>
#include <map>

#include "clocks/meter.h"
#include "clocks/share.h"
#include "clocks/task_clock.h"
#include "proc/stat.h"

namespace ringside::clocks {

namespace {

using Answer = StealAccounting::Answer;

// Spans shorter than this many ticks are charged provisionally, and again when they have grown:
// the share of the moment when a tick of steal shows up says little.
constexpr std::uint64_t settling_ticks = 20;

struct OnCpu {
    TaskClock clock;
    CpuSpan settled_at;  // sums up to the end of the last settled span
    Charge settled;
};

class ShareMeter final : public Meter {
  public:
    ShareMeter(const base::SysRoot& root, const Subject& subject, Answer accounting,
               TaskClock everywhere, const proc::Stat& start)
        : root_(root),
          subject_(subject),
          accounting_(accounting),
          everywhere_(std::move(everywhere)) {
        ticks_.add(start);
        for (const auto& entry : start.cpus) open_on(entry.first);
        start_cpu_ns_ = cpu_ns().value_or(0);
        start_occupied_ns_ = everywhere_.read_ns().value_or(0);
    }

    std::optional<Measured> read() override {
        const auto stat = proc::read_stat(root_);
        const auto occupied_ns = everywhere_.read_ns();
        if (!stat || !occupied_ns) return std::nullopt;
        ticks_.add(*stat);
        Measured measured;
        measured.occupied_ns = *occupied_ns - start_occupied_ns_;
        measured.cpu_ns = cpu_ns();
        measured.steal = decide(measured, charge_all(*measured.occupied_ns));
        return measured;
    }

  private:
    void open_on(int cpu) {
        auto clock = TaskClock::open(root_, subject_, cpu);
        if (clock) on_cpus_.emplace(cpu, OnCpu{std::move(*clock), {}, {}});
    }

    // The kernel has no clock for a process with its children.
    std::optional<std::uint64_t> cpu_ns() const {
        if (subject_.extent == Subject::Extent::process_and_children) return std::nullopt;
        const auto cpu = read_cpu_time(root_, subject_);
        if (!cpu) return std::nullopt;
        return cpu->ns - start_cpu_ns_;
    }

    Charge charge_all(std::uint64_t occupied_ns) {
        Charge sum;
        std::uint64_t seen_ns = 0;
        for (const auto& [cpu, ticks] : ticks_.since_start()) {
            auto at = on_cpus_.find(cpu);
            if (at == on_cpus_.end()) {
                open_on(cpu);  // came online since
                continue;
            }
            const CpuSpan now{at->second.clock.read_ns().value_or(0),
                              ticks.busy() * proc::tick_ns(), ticks.steal * proc::tick_ns()};
            seen_ns += now.occupied_ns;
            const Charge here = charge_one(at->second, now);
            sum.steal_ns += here.steal_ns;
            sum.error_ns += here.error_ns;
        }
        // Time on a CPU that came online under our feet.
        if (occupied_ns > seen_ns) sum.error_ns += occupied_ns - seen_ns;
        return sum;
    }

    static Charge charge_one(OnCpu& on, const CpuSpan& now) {
        const CpuSpan span{now.occupied_ns - on.settled_at.occupied_ns,
                           now.busy_ns - on.settled_at.busy_ns,
                           now.steal_ns - on.settled_at.steal_ns};
        const Charge latest = charge(span);
        const Charge total{on.settled.steal_ns + latest.steal_ns,
                           on.settled.error_ns + latest.error_ns};
        if (span.busy_ns >= settling_ticks * proc::tick_ns()) {
            on.settled = total;
            on.settled_at = now;
        }
        // Even a CPU that shows no steal may hide two steps of it, one for the rounding of
        // /proc/stat and one for the tick at which it is updated; but no more than was occupied.
        return {total.steal_ns, total.error_ns + std::min(2 * proc::tick_ns(), now.occupied_ns)};
    }

    // Where CPU time may exclude steal, its distance from occupied time tells; and then it is the
    // better value.
    Steal decide(const Measured& measured, const Charge& by_share) const {
        Steal steal{by_share.steal_ns, by_share.error_ns, StealMethod::cpu_share,
                    "an estimate: steal is known per CPU only, in steps of 10 ms"};
        if (accounting_ != Answer::undetermined || !measured.cpu_ns) return steal;
        const std::uint64_t difference_ns =
            *measured.occupied_ns > *measured.cpu_ns ? *measured.occupied_ns - *measured.cpu_ns : 0;
        if (judge(difference_ns, by_share) != Answer::excludes) return steal;
        return {difference_ns, by_share.error_ns, StealMethod::cpu_time_excludes_steal,
                "the kernel was found to take steal out of CPU time while this clock ran"};
    }

    base::SysRoot root_;
    Subject subject_;
    Answer accounting_;
    TaskClock everywhere_;
    proc::TickSums ticks_;
    std::map<int, OnCpu> on_cpus_;
    std::uint64_t start_cpu_ns_ = 0;
    std::uint64_t start_occupied_ns_ = 0;
};

}  // namespace

Result<MeterPtr> make_share_meter(const base::SysRoot& root, const Subject& subject,
                                  StealAccounting::Answer accounting) {
    auto everywhere = TaskClock::open(root, subject);
    if (!everywhere) return everywhere.error();
    const auto stat = proc::read_stat(root);
    if (!stat) return stat.error();
    return MeterPtr(
        std::make_unique<ShareMeter>(root, subject, accounting, std::move(*everywhere), *stat));
}

}  // namespace ringside::clocks
