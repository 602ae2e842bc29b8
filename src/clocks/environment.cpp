#include "clocks/environment.h"

#include "base/error.h"
#include "clocks/steal_accounting.h"
#include "platform/clock_source.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/hypervisor.h"
#include "proc/stat.h"

namespace ringside::clocks {

namespace {

using Answer = StealAccounting::Answer;

// Kernels without interrupt-time accounting see hardly any: the tick that would is itself one.
bool shows_irq_time(const base::SysRoot& root) {
    const auto stat = proc::read_stat(root);
    return stat && stat->total.irq > 0;
}

StealFacts read_facts(const base::SysRoot& root, const std::optional<bpf::KernelLayout>& layout) {
    const auto cpuid = platform::Cpuid::of(root);
    const auto cpu = platform::read_cpu_model(root);
    const auto hypervisor = platform::read_hypervisor(root, cpuid, cpu);
    const auto clock = platform::read_clock_source(root, cpuid, cpu, hypervisor);
    StealFacts facts;
    facts.virtualized = hypervisor.virtualized.value;
    facts.reported = clock.steal_reported.value;
    facts.reported_evidence =
        clock.steal_reported.evidence.source + ": " + clock.steal_reported.evidence.text;
    facts.irq_excluded = (!layout || layout->can_exclude_irq) && shows_irq_time(root);
    return facts;
}

}  // namespace

Environment::Environment(base::SysRoot root, const ClockOptions& options)
    : root_(std::move(root)), options_(options) {
    std::optional<bpf::KernelLayout> layout;
    if (!options_.quick) {
        if (auto read = bpf::read_kernel_layout(root_)) layout = *read;
    }
    facts_ = read_facts(root_, layout);
    if (facts_.virtualized == false) {
        accounting_.evidence = "not a virtual machine: nothing is stolen";
        return;
    }
    accounting_ = judge_kernel(layout, {});
    if (accounting_.answer != Answer::undetermined) return;
    if (auto loaded = tracer()) {
        const auto counters = (*loaded)->read_cpus();
        if (counters) accounting_ = judge_kernel(layout, *counters);
    }
    // Do not trace the machine for clocks that will not need it.
    if (accounting_.answer == Answer::excludes) tracer_.reset();
}

StealAccounting Environment::accounting() const {
    return accounting_;
}

Result<std::shared_ptr<bpf::StealTracer>> Environment::tracer() {
    const std::lock_guard lock(mutex_);
    if (!options_.allow_bpf || options_.quick)
        return base::fail(ErrorCode::not_permitted, "BPF was ruled out");
    if (!tracer_) tracer_ = bpf::StealTracer::load(root_);
    return *tracer_;
}

std::vector<StealMethod> Environment::candidates(const Subject& subject) const {
    if (options_.only) return {*options_.only};
    if (facts_.virtualized == false) return {StealMethod::not_virtual};
    if (facts_.reported == false) return {};
    const bool tree = subject.extent == Subject::Extent::process_and_children;
    std::vector<StealMethod> methods;
    // The kernel has no clock for the CPU time of a process with its children.
    if (accounting_.answer == Answer::excludes && !tree) {
        methods.push_back(StealMethod::cpu_time_excludes_steal);
    }
    methods.push_back(StealMethod::bpf_sched_switch);
    methods.push_back(StealMethod::cpu_share);
    return methods;
}

Result<MeterPtr> Environment::try_method(StealMethod method, const Subject& subject) {
    switch (method) {
        case StealMethod::not_virtual:
            return make_plain_meter(root_, subject, Steal{0, 0, StealMethod::not_virtual, {}});
        case StealMethod::cpu_time_excludes_steal:
            if (accounting_.answer == Answer::includes) {
                return base::fail(
                    ErrorCode::unsupported,
                    "CPU time includes steal on this kernel: " + accounting_.evidence);
            }
            return make_difference_meter(root_, subject, facts_.irq_excluded);
        case StealMethod::bpf_sched_switch: {
            auto loaded = tracer();
            if (!loaded) return loaded.error();
            return make_traced_meter(root_, subject, *loaded);
        }
        case StealMethod::cpu_share:
            return make_share_meter(root_, subject, accounting_.answer);
        default:
            return base::fail(ErrorCode::bad_input, "not a method for threads");
    }
}

MeterPtr Environment::make_meter(const Subject& subject) {
    std::string reasons;
    if (facts_.reported == false) {
        reasons = "the hypervisor does not report steal (" + facts_.reported_evidence + ")";
    }
    for (const StealMethod method : candidates(subject)) {
        auto meter = try_method(method, subject);
        if (meter) return std::move(*meter);
        if (!reasons.empty()) reasons += "; ";
        reasons += std::string(to_string(method)) + ": " + meter.error().what;
    }
    return make_plain_meter(root_, subject, Steal{std::nullopt, 0, StealMethod::none, reasons});
}

Result<CpuStealMeterPtr> Environment::make_cpu_meter() {
    if (options_.only != StealMethod::proc_stat) {
        auto loaded = tracer();
        if (loaded && (*loaded)->source() != bpf::StealSource::accounted) {
            if (auto meter = make_counter_meter(*loaded)) return meter;
        }
    }
    return make_proc_stat_meter(root_);
}

}  // namespace ringside::clocks
