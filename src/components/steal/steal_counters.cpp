#include "components/steal/steal_counters.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/types.h>

#include "base/error.h"
#include "proc/task.h"
#include "session/sampled_counters.h"

namespace ringside::components::steal {

namespace {

using clocks::Environment;
using Kind = Target::Kind;

Result<clocks::Subject> find_subject(const base::SysRoot& root, const std::string& name,
                                     std::uint64_t id, const SetOptions& options) {
    const Target& target = options.target;
    const bool one_thread = target.kind == Kind::calling_thread || target.kind == Kind::thread;
    if (!one_thread && (target.kind != Kind::process || id == thread_id)) {
        return base::fail(ErrorCode::unsupported,
                          fmt::format("steal:::{} of a target that is no {}", name,
                                      id == thread_id ? "thread" : "thread or process"),
                          "steal:::TOTAL and steal:::CPU0 are for CPUs and the system");
    }
    if (id == thread_id && options.inherit) {
        return base::fail(ErrorCode::unsupported,
                          "steal:::THREAD is of one thread, without those it makes",
                          "steal:::PROCESS counts them");
    }
    if (id == thread_id) return clocks::find_thread(root, target.id);
    const auto follow = options.inherit ? Follow::children : Follow::threads;
    if (target.kind != Kind::thread) return clocks::find_process(root, target.id, follow);
    const auto pid = proc::process_of(root, target.id);
    if (!pid) return pid.error();
    return clocks::find_process(root, *pid, follow);
}

// One event: a thread's or process's meter, or some CPUs.
struct Source {
    clocks::MeterPtr meter;
    std::vector<int> cpus;  // without a meter; none means all
    std::int64_t last_ns = 0;
    StealMethod method = StealMethod::none;
    std::uint64_t error_ns = 0;
    std::string reason;
};

class StealCounters final : public session::SampledCounters {
  public:
    StealCounters(std::span<const session::ComponentEvent> events,
                  std::shared_ptr<Environment> environment, std::vector<Source> sources,
                  clocks::CpuStealMeterPtr cpu_meter)
        : SampledCounters(events),
          environment_(std::move(environment)),
          sources_(std::move(sources)),
          cpu_meter_(std::move(cpu_meter)) {}

    std::string explain(std::size_t index) const override {
        const Source& source = sources_[index];
        return fmt::format("by {}, +- {:.3f} ms{}{}", to_string(source.method),
                           static_cast<double>(source.error_ns) / 1e6,
                           source.reason.empty() ? "" : "; ", source.reason);
    }

  private:
    Result<void> sample(std::span<Reading> out) override {
        std::span<const CpuSteal> cpus;
        if (cpu_meter_) {
            const auto read = cpu_meter_->read();
            if (!read) return read.error();
            cpus = *read;
        }
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            Source& source = sources_[i];
            source.meter ? read_meter(source) : sum_up(source, cpus);
            out[i].value = source.last_ns;
        }
        return {};
    }

    // One that is gone keeps what was stolen from it.
    static void read_meter(Source& source) {
        const auto measured = source.meter->read();
        if (!measured || !measured->steal.ns) return;
        const std::uint64_t most_ns = measured->occupied_ns.value_or(*measured->steal.ns);
        source.last_ns = static_cast<std::int64_t>(std::min(*measured->steal.ns, most_ns));
        source.method = measured->steal.method;
        source.error_ns = measured->steal.error_ns;
    }

    static void sum_up(Source& source, std::span<const CpuSteal> cpus) {
        source.last_ns = 0;
        source.error_ns = 0;
        for (const auto& [cpu, steal] : cpus) {
            const auto& wanted = source.cpus;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), cpu) == wanted.end()) {
                continue;
            }
            source.last_ns += static_cast<std::int64_t>(steal.ns.value_or(0));
            source.error_ns += steal.error_ns;
            source.method = steal.method;
        }
    }

    std::shared_ptr<Environment> environment_;  // the meters use it
    std::vector<Source> sources_;
    clocks::CpuStealMeterPtr cpu_meter_;
};

Result<Source> open_source(Environment& environment, const session::ComponentEvent& event,
                           const SetOptions& options) {
    Source source;
    if (event.id >= total_id) {
        if (options.target.kind == Kind::cgroup) {
            return base::fail(ErrorCode::unsupported, "steal of a cgroup cannot be told");
        }
        if (event.id >= first_cpu_id) source.cpus = {static_cast<int>(event.id - first_cpu_id)};
        if (event.id == total_id) source.cpus = options.target.cpus;
        return source;
    }
    const auto subject = find_subject(environment.root(), event.name, event.id, options);
    if (!subject) return subject.error();
    source.meter = environment.make_meter(*subject);
    const auto first = source.meter->read();
    if (!first || !first->steal.ns) {
        return base::fail(ErrorCode::unsupported,
                          fmt::format("steal:::{} cannot be measured: {}", event.name,
                                      first ? first->steal.reason : "it is gone"),
                          "docs/clocks.md says what each way of measuring needs");
    }
    source.reason = first->steal.reason;
    return source;
}

}  // namespace

Result<session::CountersPtr> open_counters(std::shared_ptr<Environment> environment,
                                           std::span<const session::ComponentEvent> events,
                                           const SetOptions& options) {
    std::vector<Source> sources;
    bool of_cpus = false;
    for (const auto& event : events) {
        auto source = open_source(*environment, event, options);
        if (!source) return source.error();
        of_cpus = of_cpus || !source->meter;
        sources.push_back(std::move(*source));
    }
    clocks::CpuStealMeterPtr cpu_meter;
    if (of_cpus) {
        auto meter = environment->make_cpu_meter();
        if (!meter) return meter.error();
        cpu_meter = std::move(*meter);
    }
    return session::CountersPtr(std::make_unique<StealCounters>(
        events, std::move(environment), std::move(sources), std::move(cpu_meter)));
}

}  // namespace ringside::components::steal
