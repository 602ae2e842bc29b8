#include "lab/simulation.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "lab/processor.h"

namespace ringside::lab {

namespace {

// A vCPU's truth about one event: of one thread, or of all.
std::uint64_t truth_of(const GuestThread& thread, EventName event, bool user_only) {
    const std::uint64_t kernel = user_only ? thread.kernel_truth[index_of(event)] : 0;
    return thread.truth[index_of(event)] - kernel;
}

double running_share(const Count& count) {
    if (count.enabled_ns == 0) return 1;
    return double(count.running_ns) / double(count.enabled_ns);
}

void add_counts(std::vector<CountedEvent>& events, const std::vector<Count>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        events[i].counted += counts[i].value;
        events[i].running_share = std::min(events[i].running_share, running_share(counts[i]));
        events[i].starved = events[i].starved || counts[i].starved;
    }
}

void add_skid(vpmu::Skid& total, const vpmu::Skid& one) {
    total.count += one.count;
    total.total += one.total;
    total.least = std::min(total.least, one.least);
    total.most = std::max(total.most, one.most);
}

void add_thread(MachineResult& machine, ThreadResult& result, const GuestThread& thread,
                bool user_only) {
    result.lost_cycles += thread.lost_cycles;
    for (std::size_t i = 0; i < thread.samples.size(); ++i) {
        result.phases[i].samples += thread.samples[i];
        machine.samples += thread.samples[i];
    }
    for (CountedEvent& event : result.events) {
        event.truth += truth_of(thread, event.event, user_only);
    }
    for (CountedEvent& event : machine.events) {
        event.truth += truth_of(thread, event.event, user_only);
    }
}

void add_guest(MachineResult& machine, const VirtualCpu& one) {
    const auto& threads = one.guest.threads();
    const Profiler* profiler = one.guest.profiler();
    for (unsigned t = 0; t < threads.size(); ++t) {
        ThreadResult& result = machine.threads[t];
        add_thread(machine, result, threads[t], one.plan.profile.user_only);
        if (profiler == nullptr || !profiler->follows_threads()) continue;
        add_counts(result.events, profiler->counts(t));
        add_counts(machine.events, profiler->counts(t));
    }
    if (profiler != nullptr && !profiler->follows_threads()) {
        add_counts(machine.events, profiler->counts(0));
    }
    machine.guest_ns += one.guest.now_ns();
    add_skid(machine.skid, one.vcpu.skid);
}

MachineResult empty_result(const MachinePlan& plan) {
    MachineResult result;
    result.name = plan.name;
    result.machines = plan.count;
    result.policy = plan.policy;
    for (const EventName event : plan.profile.events()) result.events.push_back({event});
    const bool by_thread =
        vpmu::is_logical(plan.policy) || plan.profile.tool != GuestTool::system_wide;
    for (const ThreadPlan& thread : plan.threads) {
        ThreadResult& made = result.threads.emplace_back();
        made.name = thread.name;
        if (by_thread) made.events = result.events;
        for (const Phase& phase : thread.phases) made.phases.push_back({phase.name});
    }
    return result;
}

// One physical machine of the fleet with everything on it.
class Host {
  public:
    Host(const Scenario& scenario, const Costs& costs, const Encodings& encodings, unsigned index,
         SimulationResult& result, Timeline* timeline)
        : scenario_(scenario), result_(result) {
        for (unsigned c = 0; c < scenario.cpus; ++c) {
            processors_.push_back(
                std::make_unique<Processor>(scenario, costs, encodings, c, timeline));
        }
        on_cpu_.resize(scenario.cpus);
        for (std::size_t m = 0; m < scenario.machines.size(); ++m) {
            add_machines(m, costs, encodings, index, timeline);
        }
    }

    void run() {
        if (scenario_.migrate_every_slices == 0) {
            // CPUs do not touch each other's machines: one after the other stays in the cache.
            for (unsigned c = 0; c < processors_.size(); ++c) {
                for (std::uint64_t s = 0; s < slices(); ++s) run_cpu(c);
            }
        } else {
            for (std::uint64_t s = 0; s < slices(); ++s) {
                if (s != 0 && s % scenario_.migrate_every_slices == 0) migrate();
                for (unsigned c = 0; c < processors_.size(); ++c) run_cpu(c);
                meet();
            }
        }
        finish();
    }

  private:
    std::uint64_t slices() const {
        return (scenario_.duration_ns + scenario_.slice_ns - 1) / scenario_.slice_ns;
    }

    // Machines of a name are dealt out to the hosts in turn.
    void add_machines(std::size_t m, const Costs& costs, const Encodings& encodings, unsigned index,
                      Timeline* timeline) {
        const MachinePlan& plan = scenario_.machines[m];
        for (unsigned i = index; i < plan.count; i += scenario_.hosts) {
            vpmu::Vm& vm = *machines_.emplace_back(std::make_unique<vpmu::Vm>());
            vm.policy = plan.policy;
            vm.model = plan.model;
            vm.consents = plan.consents;
            first_vcpu_.push_back({m, vcpus_.size()});
            for (unsigned v = 0; v < plan.vcpus; ++v) {
                const auto task = vpmu::TaskId(vcpus_.size() + 1);
                VirtualCpu& made = *vcpus_.emplace_back(std::make_unique<VirtualCpu>(
                    vm, task, plan, encodings, costs, result_.machines[m]));
                on_cpu_[(task - 1) % scenario_.cpus].push_back(&made);
                made.label = fmt::format("{} vCPU {}", plan.name, v);
                if (timeline != nullptr) made.row = timeline->add_row(plan.name, made.label);
            }
        }
    }

    void run_cpu(unsigned c) {
        for (VirtualCpu* one : on_cpu_[c]) {
            pull(*one, c);
            processors_[c]->run_slice(*one);
        }
        processors_[c]->rotate_host_events();
    }

    // What is left of a vCPU on the CPU it ran on before comes over, as by an IPI.
    void pull(VirtualCpu& one, unsigned c) {
        const vpmu::CpuId on = one.vcpu.resident_on;
        if (on != vpmu::no_cpu && on != c) processors_[on]->release(one);
    }

    // A vCPU that moves must not arrive before it left.
    void meet() {
        std::uint64_t latest_ns = 0;
        for (const auto& processor : processors_) {
            latest_ns = std::max(latest_ns, processor->now_ns());
        }
        for (const auto& processor : processors_) processor->wait_until(latest_ns);
    }

    void migrate() {
        std::rotate(on_cpu_.begin(), on_cpu_.end() - 1, on_cpu_.end());
        for (const auto& one : vcpus_) ++one->result.migrations;
    }

    void finish() {
        if (result_.page.empty() && !vcpus_.empty()) result_.page = vcpus_[0]->page;
        for (unsigned c = 0; c < processors_.size(); ++c) {
            for (VirtualCpu* one : on_cpu_[c]) {
                pull(*one, c);
                processors_[c]->finish(*one);
            }
        }
        for (const auto& processor : processors_) {
            processor->close_timeline();
            processor->add_host_results(result_.host);
            result_.register_moves += processor->register_moves();
            result_.switches += processor->switches();
        }
        for (const auto& one : vcpus_) add_guest(one->result, *one);
        for (std::size_t i = 0; i < machines_.size(); ++i) add_view(i);
    }

    // shared_view: what the host may know of a machine's first event.
    void add_view(std::size_t machine) {
        const auto [m, first] = first_vcpu_[machine];
        const MachinePlan& plan = scenario_.machines[m];
        if (plan.profile.is_idle()) return;
        std::vector<const vpmu::Vcpu*> vcpus;
        for (unsigned v = 0; v < plan.vcpus; ++v) vcpus.push_back(&vcpus_[first + v]->vcpu);
        const auto event =
            encodings_of(scenario_.model.architecture)[index_of(plan.profile.groups[0][0])];
        std::uint64_t total = 0;
        if (!vpmu::host_view(vcpus.data(), unsigned(vcpus.size()), *event, total)) return;
        result_.machines[m].host_view = result_.machines[m].host_view.value_or(0) + total;
    }

    const Scenario& scenario_;
    SimulationResult& result_;
    std::vector<std::unique_ptr<Processor>> processors_;
    std::vector<std::unique_ptr<vpmu::Vm>> machines_;
    std::vector<std::pair<std::size_t, std::size_t>> first_vcpu_;  // plan and vCPU of a machine
    std::vector<std::unique_ptr<VirtualCpu>> vcpus_;
    std::vector<std::vector<VirtualCpu*>> on_cpu_;
};

template <typename Member>
std::uint64_t sum(const std::vector<MachineResult>& machines, Member member) {
    std::uint64_t total = 0;
    for (const MachineResult& machine : machines) total += machine.*member;
    return total;
}

}  // namespace

std::uint64_t SimulationResult::guest_ns() const {
    return sum(machines, &MachineResult::guest_ns);
}
std::uint64_t SimulationResult::exit_cycles() const {
    return sum(machines, &MachineResult::exit_cycles);
}
std::uint64_t SimulationResult::pmu_cycles() const {
    return sum(machines, &MachineResult::pmu_cycles);
}

SimulationResult simulate(const Scenario& scenario, const Costs& costs, Timeline* timeline) {
    SimulationResult result;
    result.host.resize(scenario.host.size());
    for (const MachinePlan& plan : scenario.machines) {
        result.machines.push_back(empty_result(plan));
    }
    const Encodings encodings = encodings_of(scenario.model.architecture);
    for (unsigned h = 0; h < scenario.hosts; ++h) {
        Host(scenario, costs, encodings, h, result, timeline).run();
    }
    return result;
}

}  // namespace ringside::lab
