// The BPF tracer's sums for a subject: exact, whatever the kernel counts as CPU time.
#include <ringside/clocks.h>

#include "clocks/meter.h"
#include "proc/stat.h"

namespace ringside::clocks {

namespace {

class TracedMeter final : public Meter {
  public:
    TracedMeter(const base::SysRoot& root, const Subject& subject, bpf::StealGroup group,
                std::uint64_t resolution_ns)
        : root_(root), subject_(subject), group_(std::move(group)), resolution_ns_(resolution_ns) {
        const auto start = read_cpu_time(root_, subject_);
        if (start) start_cpu_ns_ = start->ns;
    }

    std::optional<Measured> read() override {
        const bpf::GroupTotals totals = group_.read();
        Measured measured;
        measured.cpu_ns = cpu_ns(totals);
        measured.occupied_ns = totals.occupied_ns;
        measured.steal.method = StealMethod::bpf_sched_switch;
        measured.steal.ns = totals.steal_ns;
        measured.steal.error_ns = resolution_ns_ + totals.uncertain_ns;
        if (resolution_ns_ > 0) {
            measured.steal.reason =
                "the hypervisor lends no counter; the kernel's is brought up "
                "to date at ticks only";
        }
        return measured;
    }

  private:
    // The kernel's clock is up to date for running threads and the tracer's is not, but it does
    // not know of children, and is gone with the process.
    std::uint64_t cpu_ns(const bpf::GroupTotals& totals) const {
        if (subject_.extent == Subject::Extent::process_and_children) return totals.cpu_ns;
        const auto now = read_cpu_time(root_, subject_);
        if (!now || now->lag_ns > 0) return totals.cpu_ns;
        return now->ns - start_cpu_ns_;
    }

    base::SysRoot root_;
    Subject subject_;
    bpf::StealGroup group_;
    std::uint64_t resolution_ns_;
    std::uint64_t start_cpu_ns_ = 0;
};

}  // namespace

Result<MeterPtr> make_traced_meter(const base::SysRoot& root, const Subject& subject,
                                   const std::shared_ptr<bpf::StealTracer>& tracer) {
    auto group = tracer->make_group(follow_of(subject));
    if (!group) return group.error();
    auto added = add_threads(root, subject, [&](pid_t tid) { return group->add(tid); });
    if (!added) return added.error();
    const bool exact = tracer->source() != bpf::StealSource::accounted;
    return MeterPtr(std::make_unique<TracedMeter>(root, subject, std::move(*group),
                                                  exact ? 0 : proc::tick_ns()));
}

}  // namespace ringside::clocks
