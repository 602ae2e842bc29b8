#include "clocks/cpu_steal.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/kept_file.h"
#include "proc/stat.h"

namespace ringside::clocks {

namespace {

// The place of `cpu` in `cpus`, which stays in the order of the numbers; made at need.
CpuSteal& entry_of(std::vector<CpuSteal>& cpus, int cpu) {
    auto place = std::lower_bound(cpus.begin(), cpus.end(), cpu,
                                  [](const CpuSteal& entry, int key) { return entry.cpu < key; });
    if (place == cpus.end() || place->cpu != cpu) place = cpus.insert(place, CpuSteal{cpu, {}});
    return *place;
}

class CounterMeter final : public CpuStealMeter {
  public:
    explicit CounterMeter(std::shared_ptr<bpf::StealTracer> tracer)
        : tracer_(std::move(tracer)), last_ns_(static_cast<std::size_t>(tracer_->cpu_count())) {}

    Result<std::span<const CpuSteal>> read() override {
        if (auto noted = tracer_->note_cpus(); !noted) return noted.error();
        for (int cpu = 0; cpu < tracer_->cpu_count(); ++cpu) {
            if (const auto now_ns = tracer_->steal_of(cpu)) add(cpu, *now_ns);
        }
        return std::span<const CpuSteal>(cpus_);
    }

  private:
    void add(int cpu, std::uint64_t now_ns) {
        Steal& steal = entry_of(cpus_, cpu).steal;
        auto& last_ns = last_ns_[static_cast<std::size_t>(cpu)];
        if (!last_ns) steal = {0, 0, StealMethod::cpu_counter, {}};
        if (last_ns && now_ns > *last_ns) *steal.ns += now_ns - *last_ns;
        last_ns = now_ns;  // a CPU that comes back may begin at 0 again
    }

    std::shared_ptr<bpf::StealTracer> tracer_;
    std::vector<std::optional<std::uint64_t>> last_ns_;
    std::vector<CpuSteal> cpus_;
};

class ProcStatMeter final : public CpuStealMeter {
  public:
    explicit ProcStatMeter(const base::SysRoot& root) : file_(root, "/proc/stat") {}

    Result<std::span<const CpuSteal>> read() override {
        const auto text = file_.read();
        if (!text) return text.error();
        add_lines(*text);
        if (ticks_.since_start().empty()) {
            return base::fail(ErrorCode::bad_input, "/proc/stat has no CPU lines");
        }
        // One step for the rounding, one for the tick at which the kernel brings it up to date.
        for (const auto& [cpu, ticks] : ticks_.since_start()) {
            entry_of(cpus_, cpu).steal = {
                ticks.steal * proc::tick_ns(), 2 * proc::tick_ns(), StealMethod::proc_stat, {}};
        }
        return std::span<const CpuSteal>(cpus_);
    }

  private:
    // The lines of CPUs come first.
    void add_lines(std::string_view text) {
        while (text.starts_with("cpu")) {
            const auto line = text.substr(0, text.find('\n'));
            const auto parsed = proc::parse_cpu_line(line);
            if (parsed && parsed->cpu >= 0) ticks_.add(parsed->cpu, parsed->ticks);
            text.remove_prefix(std::min(line.size() + 1, text.size()));
        }
    }

    base::KeptFile file_;
    proc::TickSums ticks_;
    std::vector<CpuSteal> cpus_;
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

MachineSteal sum_up(std::span<const CpuSteal> cpus) {
    MachineSteal machine;
    machine.cpus.assign(cpus.begin(), cpus.end());
    for (const auto& cpu : machine.cpus) {
        machine.total.method = cpu.steal.method;
        machine.total.error_ns += cpu.steal.error_ns;
        if (cpu.steal.ns) machine.total.ns = machine.total.ns.value_or(0) + *cpu.steal.ns;
    }
    return machine;
}

}  // namespace ringside::clocks
