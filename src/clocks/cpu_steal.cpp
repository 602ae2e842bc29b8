#include "clocks/cpu_steal.h"

#include <map>

#include "base/error.h"
#include "clocks/proc_stat.h"

namespace ringside::clocks {

namespace {

class CounterMeter final : public CpuStealMeter {
  public:
    explicit CounterMeter(std::shared_ptr<bpf::StealTracer> tracer) : tracer_(std::move(tracer)) {}

    Result<std::vector<CpuSteal>> read() override {
        const auto counters = tracer_->read_cpus();
        if (!counters) return counters.error();
        for (const auto& counter : *counters) {
            auto& [last_ns, sum_ns] =
                cpus_.try_emplace(counter.cpu, counter.steal_ns, 0).first->second;
            if (counter.steal_ns > last_ns) sum_ns += counter.steal_ns - last_ns;
            last_ns = counter.steal_ns;  // a CPU that comes back may begin at 0 again
        }
        std::vector<CpuSteal> steals;
        for (const auto& [cpu, sums] : cpus_) {
            steals.push_back({cpu, {sums.sum_ns, 0, StealMethod::cpu_counter, {}}});
        }
        return steals;
    }

  private:
    struct Sums {
        Sums(std::uint64_t last, std::uint64_t sum) : last_ns(last), sum_ns(sum) {}
        std::uint64_t last_ns;
        std::uint64_t sum_ns;
    };
    std::shared_ptr<bpf::StealTracer> tracer_;
    std::map<int, Sums> cpus_;
};

class ProcStatMeter final : public CpuStealMeter {
  public:
    explicit ProcStatMeter(base::SysRoot root) : root_(std::move(root)) {}

    Result<std::vector<CpuSteal>> read() override {
        const auto text = root_.read("/proc/stat");
        if (!text) return text.error();
        const auto stat = parse_proc_stat(*text);
        if (!stat) return base::fail(ErrorCode::bad_input, "/proc/stat has no CPU lines");
        ticks_.add(*stat);
        std::vector<CpuSteal> steals;
        // One step for the rounding, one for the tick at which the kernel brings it up to date.
        for (const auto& [cpu, ticks] : ticks_.since_start()) {
            steals.push_back(
                {cpu, {ticks.steal * tick_ns(), 2 * tick_ns(), StealMethod::proc_stat, {}}});
        }
        return steals;
    }

  private:
    base::SysRoot root_;
    TickSums ticks_;
};

// The first reading is where it counts from.
Result<CpuStealMeterPtr> started(CpuStealMeterPtr meter) {
    if (auto first = meter->read(); !first) return first.error();
    return meter;
}

}  // namespace

Result<CpuStealMeterPtr> make_counter_meter(const std::shared_ptr<bpf::StealTracer>& tracer) {
    return started(std::make_unique<CounterMeter>(tracer));
}

Result<CpuStealMeterPtr> make_proc_stat_meter(const base::SysRoot& root) {
    return started(std::make_unique<ProcStatMeter>(root));
}

MachineSteal sum_up(std::vector<CpuSteal> cpus) {
    MachineSteal machine;
    machine.cpus = std::move(cpus);
    for (const auto& cpu : machine.cpus) {
        machine.total.method = cpu.steal.method;
        machine.total.error_ns += cpu.steal.error_ns;
        if (cpu.steal.ns) machine.total.ns = machine.total.ns.value_or(0) + *cpu.steal.ns;
    }
    return machine;
}

}  // namespace ringside::clocks
