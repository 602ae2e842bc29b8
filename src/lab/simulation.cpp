#include "lab/simulation.h"

#include <memory>

#include "lab/guest_perf.h"
#include "lab/sim_pmu.h"
#include "vpmu/cpu.h"

namespace ringside::lab {

namespace {

using vpmu::ExitReason;
using vpmu::Privilege;
using vpmu::Register;

// Spreads `per_ms` over pieces of a millisecond without losing a fraction.
class Steady {
  public:
    std::uint64_t next(std::uint64_t per_ms, std::uint64_t ns) {
        owed_ += per_ms * ns;
        const std::uint64_t whole = owed_ / 1'000'000;
        owed_ %= 1'000'000;
        return whole;
    }

  private:
    std::uint64_t owed_ = 0;
};

struct Virtual {
    Virtual(vpmu::Vm& vm, vpmu::TaskId task, const vpmu::PmuModel& model,
            const MachinePlan& machine)
        : vcpu(vm, task), perf(model, machine.counts, machine.period), plan(machine) {}

    vpmu::Vcpu vcpu;
    GuestPerf perf;
    const MachinePlan& plan;
    Steady steady[event_names];
    std::uint64_t truth[event_names] = {};
    std::uint64_t exits_seen = 0;
    bool started = false;
    Mask starved = 0;  // counters that ever were; the guest's event i is on counter i
    Exits exits;
};

class Processor {
  public:
    Processor(const Scenario& scenario, const Costs& costs, vpmu::CpuId id)
        : scenario_(scenario),
          costs_(costs),
          hardware_(scenario.model),
          cpu_(hardware_, scenario.model, id) {
        for (const HostProfile& profile : scenario.host) {
            vpmu::HostEventRequest request{.event =
                                               encode(scenario.model.architecture, profile.event)};
            request.allowed = vpmu::allowed_slots(scenario.model, request.event);
            request.pinned = profile.pinned;
            request.in_guest = profile.counts_guests;
            host_.push_back(cpu_.add_host_event(request));
        }
    }

    void add(std::unique_ptr<Virtual> made) { virtuals_.push_back(std::move(made)); }
    const std::vector<std::unique_ptr<Virtual>>& virtuals() const { return virtuals_; }
    std::uint64_t moves() const { return cpu_.moves().total(); }
    std::uint64_t switches() const { return switches_; }
    std::uint64_t cycles_lost() const {
        return cycles_lost_ + moves() * costs_.register_move_cycles;
    }

    void slice() {
        for (const auto& one : virtuals_) {
            (void)cpu_.sched_in(one->vcpu);  // vCPUs stay on their CPU
            ++switches_;
            enter(*one);
            run_slice(*one);
            leave(*one, ExitReason::other);
            cpu_.sched_out(one->vcpu);
        }
        if (!host_.empty()) cpu_.rotate_host_events();
    }

    // The guests stop counting and read their counters.
    void finish() {
        for (const auto& one : virtuals_) {
            if (one->perf.is_idle()) continue;
            (void)cpu_.sched_in(one->vcpu);
            enter(*one);
            one->perf.stop(writer(*one));
            one->perf.read(reader(*one));
            leave(*one, ExitReason::other);
            cpu_.sched_out(one->vcpu);
        }
    }

    void add_host_results(std::vector<HostResult>& results) {
        cpu_.sync_host_events();
        for (std::size_t i = 0; i < host_.size(); ++i) {
            results[i].event = scenario_.host[i].event;
            if (host_[i] == vpmu::no_event) {
                results[i].placed = false;
                continue;
            }
            const vpmu::HostEvent& event = cpu_.host_event(host_[i]);
            results[i].placed = results[i].placed && event.state != vpmu::HostEventState::error;
            results[i].counted = results[i].counted || event.was_counted();
            results[i].count += event.scaled();
        }
    }

  private:
    void enter(Virtual& one) {
        cpu_.enter(one.vcpu);
        one.starved |= one.vcpu.starved;
    }

    void leave(Virtual& one, ExitReason why) {
        cpu_.exit(one.vcpu, why);
        const bool fast = why == ExitReason::fast;
        cycles_lost_ += fast ? costs_.fast_exit_cycles : costs_.exit_cycles;
        switch (why) {
            case ExitReason::fast:
                ++one.exits.fast;
                return;
            case ExitReason::pmu_access:
                ++one.exits.pmu_access;
                break;
            case ExitReason::pmu_interrupt:
                ++one.exits.pmu_interrupt;
                break;
            case ExitReason::other:
                ++one.exits.other;
                break;
        }
        const Occurrence work[] = {occurrence(EventName::cycles, costs_.exit_cycles),
                                   occurrence(EventName::instructions, costs_.exit_instructions)};
        hardware_.advance_clock(costs_.exit_cycles * 1000 / costs_.cpu_mhz);
        hardware_.run(Mode::host, work);
        if (hardware_.interrupt_raised() && cpu_.resident() == nullptr) cpu_.host_interrupt();
    }

    Occurrence occurrence(EventName name, std::uint64_t events) const {
        const vpmu::Event event = encode(scenario_.model.architecture, name);
        return {event.select, event.umask, events};
    }

    GuestPerf::Write writer(Virtual& one) {
        return [this, &one](Register which, std::uint64_t value) {
            if (!vpmu::intercepts(one.vcpu, scenario_.model, which, true)) {
                (void)hardware_.program_write(which, value, Privilege::kernel);
                return;
            }
            leave(one, ExitReason::pmu_access);
            (void)cpu_.write(one.vcpu, which, value, Privilege::kernel);
            enter(one);
        };
    }
    GuestPerf::Read reader(Virtual& one) {
        return [this, &one](Register which) {
            if (!vpmu::intercepts(one.vcpu, scenario_.model, which, false)) {
                return hardware_.program_read(which, Privilege::kernel).value;
            }
            leave(one, ExitReason::pmu_access);
            const std::uint64_t value = cpu_.read(one.vcpu, which, Privilege::kernel).value;
            enter(one);
            return value;
        };
    }

    void run_slice(Virtual& one) {
        if (!one.started && !one.perf.is_idle()) one.perf.start(writer(one));
        one.started = true;
        const std::uint64_t exits = std::uint64_t{one.plan.exits_per_ms} * scenario_.slice_ms;
        const std::uint64_t piece_ns = scenario_.slice_ms * 1'000'000ull / (exits + 1);
        for (std::uint64_t i = 0; i <= exits; ++i) {
            run_piece(one, piece_ns);
            if (i == exits) return;
            const bool fast = ++one.exits_seen % 100 < one.plan.fast_percent;
            leave(one, fast ? ExitReason::fast : ExitReason::other);
            enter(one);
        }
    }

    // A piece is cut so that at most one period ends in it.
    void run_piece(Virtual& one, std::uint64_t ns) {
        unsigned parts = 1;
        if (one.plan.period != 0) {
            const auto rate = one.plan.per_ms[static_cast<unsigned>(one.plan.counts[0])];
            parts += unsigned(2 * rate * ns / 1'000'000 / one.plan.period);
        }
        for (unsigned part = 0; part < parts; ++part) {
            Occurrence happened[event_names];
            for (unsigned i = 0; i < event_names; ++i) {
                const auto events = one.steady[i].next(one.plan.per_ms[i], ns / parts);
                happened[i] = occurrence(static_cast<EventName>(i), events);
                one.truth[i] += events;
            }
            hardware_.advance_clock(ns / parts);
            hardware_.run(Mode::guest_user, happened);
            if (hardware_.interrupt_level()) take_interrupt(one);
        }
    }

    void take_interrupt(Virtual& one) {
        leave(one, ExitReason::pmu_interrupt);
        const bool wanted = one.vcpu.wants_interrupt();
        one.vcpu.interrupt_injected();
        enter(one);
        if (wanted) one.perf.interrupt(reader(one), writer(one));
    }

    const Scenario& scenario_;
    const Costs& costs_;
    SimPmu hardware_;
    vpmu::Cpu<SimPmu> cpu_;
    std::vector<vpmu::EventId> host_;
    std::vector<std::unique_ptr<Virtual>> virtuals_;
    std::uint64_t switches_ = 0;
    std::uint64_t cycles_lost_ = 0;
};

MachineResult result_of(const MachinePlan& plan, const std::vector<const Virtual*>& virtuals,
                        vpmu::Architecture architecture) {
    MachineResult result;
    result.name = plan.name;
    result.policy = plan.policy;
    std::vector<const vpmu::Vcpu*> vcpus;
    for (std::size_t i = 0; i < plan.counts.size(); ++i) result.events.push_back({plan.counts[i]});
    for (const Virtual* one : virtuals) {
        vcpus.push_back(&one->vcpu);
        for (std::size_t i = 0; i < plan.counts.size(); ++i) {
            result.events[i].counted += one->perf.counted(i);
            result.events[i].truth += one->truth[static_cast<unsigned>(plan.counts[i])];
            if ((one->starved >> i & 1) != 0) result.events[i].starved = true;
        }
        result.samples += one->perf.samples();
        result.exits.pmu_access += one->exits.pmu_access;
        result.exits.pmu_interrupt += one->exits.pmu_interrupt;
        result.exits.fast += one->exits.fast;
        result.exits.other += one->exits.other;
    }
    std::uint64_t total = 0;
    const bool told =
        !plan.counts.empty() && vpmu::host_view(vcpus.data(), unsigned(vcpus.size()),
                                                encode(architecture, plan.counts[0]), total);
    if (told) result.host_view = total;
    return result;
}

}  // namespace

SimulationResult simulate(const Scenario& scenario, const Costs& costs) {
    std::vector<std::unique_ptr<vpmu::Vm>> machines;
    std::vector<std::unique_ptr<Processor>> processors;
    for (unsigned c = 0; c < scenario.cpus; ++c) {
        processors.push_back(std::make_unique<Processor>(scenario, costs, c));
    }
    std::vector<std::vector<const Virtual*>> by_machine;
    vpmu::TaskId task = 0;
    for (const MachinePlan& plan : scenario.machines) {
        machines.push_back(std::make_unique<vpmu::Vm>());
        machines.back()->policy = plan.policy;
        machines.back()->model = scenario.model;
        machines.back()->consents = plan.consents;
        by_machine.emplace_back();
        for (unsigned v = 0; v < plan.vcpus; ++v) {
            auto made = std::make_unique<Virtual>(*machines.back(), ++task, scenario.model, plan);
            by_machine.back().push_back(made.get());
            processors[task % scenario.cpus]->add(std::move(made));
        }
    }
    SimulationResult result;
    result.host.resize(scenario.host.size());
    // CPUs do not touch each other's machines, so one after the other keeps them in the cache.
    for (const auto& processor : processors) {
        for (unsigned ms = 0; ms < scenario.duration_ms; ms += scenario.slice_ms) {
            processor->slice();
        }
        processor->finish();
        processor->add_host_results(result.host);
        result.register_moves += processor->moves();
        result.switches += processor->switches();
        result.cycles_lost += processor->cycles_lost();
        for (const auto& one : processor->virtuals()) result.cycles += one->truth[0];
    }
    for (std::size_t m = 0; m < by_machine.size(); ++m) {
        result.machines.push_back(
            result_of(scenario.machines[m], by_machine[m], scenario.model.architecture));
    }
    return result;
}

}  // namespace ringside::lab
