#include "lab/processor.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "vpmu/page_reader.h"

namespace ringside::lab {

using vpmu::ExitReason;
using vpmu::Privilege;
using vpmu::Register;

namespace {

std::vector<std::uint64_t> make_page(const MachinePlan& plan) {
    const auto threads = std::uint32_t(plan.threads.size());
    std::vector<std::uint64_t> page(vpmu::page_bytes(1, threads, 0) / 8 + 1);
    RINGSIDE_ASSERT(vpmu::format_page(page.data(), page.size() * 8, 1, threads, 0));
    vpmu::describe_page(page.data(), plan.policy, plan.model.architecture);
    return page;
}

std::unique_ptr<Profiler> make_profiler(const MachinePlan& plan, const Encodings& encodings,
                                        const Costs& costs, void* page) {
    if (plan.profile.is_idle()) return nullptr;
    if (vpmu::is_logical(plan.policy)) {
        return make_thread_counters(plan, encodings, page);
    }
    return make_perf(plan, encodings, costs);
}

}  // namespace

VirtualCpu::VirtualCpu(vpmu::Vm& vm, vpmu::TaskId task, const MachinePlan& machine,
                       const Encodings& encodings, const Costs& costs, MachineResult& totals)
    : plan(machine),
      result(totals),
      page(make_page(machine)),
      vcpu(vm, task),
      guest(machine, encodings, costs, make_profiler(machine, encodings, costs, page.data())),
      exit_interval_ns(machine.exits_per_ms == 0 ? 0 : 1'000'000 / machine.exits_per_ms),
      next_exit_ns(exit_interval_ns == 0 ? never_ns : exit_interval_ns / 2) {
    vcpu.page = &vpmu::vcpu_of(page.data(), 0);
}

Processor::Processor(const Scenario& scenario, const Costs& costs, const Encodings& encodings,
                     vpmu::CpuId id, Timeline* timeline)
    : scenario_(scenario),
      costs_(costs),
      hardware_(scenario.model),
      cpu_(hardware_, scenario.model, id),
      timeline_(timeline) {
    for (const HostProfile& profile : scenario.host) {
        vpmu::HostEventRequest request{.event = *encodings[index_of(profile.event)]};
        request.allowed = vpmu::allowed_slots(scenario.model, request.event);
        request.pinned = profile.pinned;
        request.in_guest = profile.counts_guests;
        host_.push_back(cpu_.add_host_event(request));
    }
    static_assert(index_of(EventName::cycles) == 0 && index_of(EventName::instructions) == 1);
    for (const EventName name : {EventName::cycles, EventName::instructions}) {
        const vpmu::Event event = *encodings[index_of(name)];
        vmm_work_[index_of(name)] = {event.select, event.umask, 0};
    }
    if (timeline_ == nullptr) return;
    running_row_ = timeline_->add_row(fmt::format("CPU {}", id), "runs");
    owner_row_ = timeline_->add_row(fmt::format("CPU {}", id), "counters belong to");
}

// Cycles lost are charged to the machine and to the thread that ran.
void Processor::charge(VirtualCpu& one, std::uint64_t cycles, bool for_pmu) {
    if (!counted_) return;
    (for_pmu ? one.result.pmu_cycles : one.result.exit_cycles) += cycles;
    one.guest.running().lost_cycles += cycles;
}

// Register moves are the cost of whatever the engine does for a vCPU.
template <typename Work>
void Processor::charged(VirtualCpu& one, Work work) {
    const std::uint64_t before = cpu_.moves().total();
    work();
    const std::uint64_t moved = cpu_.moves().total() - before;
    if (moved == 0 || !counted_) return;
    one.result.register_moves += moved;
    charge(one, moved * costs_.register_move_cycles, true);
}

void Processor::schedule_in(VirtualCpu& one) {
    current_ = &one;
    ++switches_;
    charged(one, [&] {
        const bool here = cpu_.sched_in(one.vcpu);
        RINGSIDE_ASSERT(here);
    });
    slice_start_ns_ = hardware_.now_ns();
    one.shown_since_ns = slice_start_ns_;
    enter(one);
    if (one.booted) return;
    one.booted = true;
    counted_ = false;
    one.guest.boot(*this);
    counted_ = true;
}

void Processor::schedule_out(VirtualCpu& one) {
    leave(one, ExitReason::other, &Exits::other);
    charged(one, [&] { cpu_.sched_out(one.vcpu); });
    current_ = nullptr;
    if (timeline_ == nullptr) return;
    show_owner();
    timeline_->span(running_row_, one.label, slice_start_ns_, hardware_.now_ns());
    one.shown_thread = ~0u;  // ends the thread's span
    show_thread(one);
}

void Processor::run_slice(VirtualCpu& one) {
    schedule_in(one);
    for (std::uint64_t left_ns = scenario_.slice_ns; left_ns != 0;) {
        deliver_interrupt(one);
        one.guest.kernel_work(*this);
        if (timeline_ != nullptr) show_thread(one);
        const std::uint64_t until_exit_ns = one.next_exit_ns - one.guest.now_ns();
        const std::uint64_t ns = one.guest.next_stop_ns(std::min(left_ns, until_exit_ns));
        run_piece(one, ns);
        left_ns -= ns;
        leave_if_due(one);
    }
    schedule_out(one);
}

void Processor::finish(VirtualCpu& one) {
    if (one.guest.profiler() == nullptr) return;
    schedule_in(one);
    deliver_interrupt(one);
    one.guest.finish(*this);
    schedule_out(one);
}

void Processor::release(VirtualCpu& one) {
    charged(one, [&] { cpu_.release(one.vcpu); });
}

void Processor::rotate_host_events() {
    if (!host_.empty()) cpu_.rotate_host_events();
}

void Processor::wait_until(std::uint64_t ns) {
    if (ns > hardware_.now_ns()) hardware_.advance_clock(ns - hardware_.now_ns());
}

void Processor::run_piece(VirtualCpu& one, std::uint64_t ns) {
    const vpmu::Mode mode = one.guest.mode();
    hardware_.advance_clock(ns);
    hardware_.run(mode, one.guest.run(ns));
    if (!hardware_.interrupt_level()) return;
    leave(one, ExitReason::pmu_interrupt, &Exits::pmu_interrupt);
    enter(one);
}

void Processor::leave_if_due(VirtualCpu& one) {
    bool leaves = one.guest.takes_exit();
    bool fast = false;
    if (one.guest.now_ns() >= one.next_exit_ns) {
        one.next_exit_ns += one.exit_interval_ns;
        fast = !leaves && ++one.exits_seen % 100 < one.plan.fast_percent;
        leaves = true;
    }
    if (!leaves) return;
    leave(one, fast ? ExitReason::fast : ExitReason::other, fast ? &Exits::fast : &Exits::other);
    enter(one);
}

void Processor::deliver_interrupt(VirtualCpu& one) {
    if (!one.vcpu.wants_interrupt()) return;
    one.vcpu.interrupt_injected();
    if (timeline_ != nullptr) timeline_->instant(one.row, "PMU interrupt", hardware_.now_ns());
    one.guest.interrupt(*this);
}

void Processor::enter(VirtualCpu& one) {
    charged(one, [&] { cpu_.enter(one.vcpu); });
    if (one.vcpu.starved != 0) one.guest.starved(one.vcpu.starved);
    if (timeline_ != nullptr) show_owner();
}

void Processor::leave(VirtualCpu& one, ExitReason why, std::uint64_t Exits::*kind) {
    charged(one, [&] { cpu_.exit(one.vcpu, why); });
    if (timeline_ != nullptr) {
        timeline_->instant(one.row, exit_name(kind), hardware_.now_ns());
        show_owner();
    }
    if (counted_) ++(one.result.exits.*kind);
    const bool fast = why == ExitReason::fast;
    charge(one, fast ? costs_.fast_exit_cycles : costs_.exit_cycles,
           !fast && kind != &Exits::other);
    if (!fast) vmm_work(one);
}

// Of an exit's mean work. Without a spread, periods lock to the rhythm of the exits.
std::uint64_t Processor::work_percent() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;  // Knuth, TAOCP 3.3.4
    const std::uint64_t spread = costs_.exit_spread_percent;
    return 100 - spread + (random_ >> 33) % (2 * spread + 1);
}

// The VMM's own instructions, which the host's events and a domain-switched guest's count.
void Processor::vmm_work(VirtualCpu& one) {
    const std::uint64_t percent = work_percent();
    vmm_work_[0].events = costs_.exit_cycles * percent / 100;
    vmm_work_[1].events = costs_.exit_instructions * percent / 100;
    hardware_.advance_clock(costs_.to_ns(vmm_work_[0].events));
    hardware_.run(vpmu::Mode::host, vmm_work_);
    if (vpmu::counts_vmm(one.plan.policy)) {
        one.guest.counted_elsewhere({vmm_work_[0].events, vmm_work_[1].events});
    }
    if (!hardware_.interrupt_level()) return;
    if (cpu_.resident() == nullptr) return cpu_.host_interrupt();
    if (!one.vcpu.wants_interrupt()) cpu_.late_guest_interrupt();
}

bool Processor::is_exit(Register which, bool writes) {
    const bool exits = vpmu::intercepts(current_->vcpu, scenario_.model, which, writes);
    if (!counted_) return exits;
    AccessCount& count = current_->result.accesses.at(work(), which.kind, writes);
    ++count.accesses;
    if (exits) ++count.exits;
    return exits;
}

void Processor::leave_for(Register which) {
    const bool rdpmc = which.kind == vpmu::RegisterKind::counter_read;
    leave(*current_, ExitReason::pmu_access, rdpmc ? &Exits::pmu_rdpmc : &Exits::pmu_register);
}

std::uint64_t Processor::read(Register which) {
    if (!is_exit(which, false)) return hardware_.program_read(which, Privilege::kernel).value;
    leave_for(which);
    std::uint64_t value = 0;
    charged(*current_, [&] { value = cpu_.read(current_->vcpu, which, Privilege::kernel).value; });
    enter(*current_);
    return value;
}

void Processor::write(Register which, std::uint64_t value) {
    if (!is_exit(which, true)) {
        (void)hardware_.program_write(which, value, Privilege::kernel);
        return;
    }
    leave_for(which);
    charged(*current_, [&] { (void)cpu_.write(current_->vcpu, which, value, Privilege::kernel); });
    enter(*current_);
}

void Processor::configure(const vpmu::LogicalControl& control) {
    leave(*current_, ExitReason::other, &Exits::hypercall);
    charged(*current_, [&] {
        const bool accepted = cpu_.configure(current_->vcpu, control);
        RINGSIDE_ASSERT(accepted);
    });
    enter(*current_);
}

void Processor::add_host_results(std::vector<HostResult>& results) {
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

}  // namespace ringside::lab
