// Processor: what a viewer sees of it.
#include "lab/processor.h"

namespace ringside::lab {

const char* exit_name(std::uint64_t Exits::*kind) {
    if (kind == &Exits::pmu_register) return "exit: PMU register";
    if (kind == &Exits::pmu_rdpmc) return "exit: RDPMC";
    if (kind == &Exits::pmu_interrupt) return "exit: PMU interrupt";
    if (kind == &Exits::hypercall) return "exit: hypercall";
    return kind == &Exits::fast ? "exit: fast" : "exit: other";
}

// Whose values the counters hold. A vCPU that is not the one that runs is a lazy guest's left in
// place.
void Processor::show_owner() {
    const vpmu::Vcpu* resident = cpu_.resident();
    std::string owner = "host";
    if (resident != nullptr) {
        const bool runs = current_ != nullptr && resident == &current_->vcpu;
        owner = runs ? current_->label : "left in place";
    }
    const std::uint64_t now_ns = hardware_.now_ns();
    if (owner == owner_) return;
    if (now_ns > owner_since_ns_) timeline_->span(owner_row_, owner_, owner_since_ns_, now_ns);
    owner_ = std::move(owner);
    owner_since_ns_ = now_ns;
}

void Processor::show_thread(VirtualCpu& one) {
    const unsigned thread = one.guest.running_thread();
    if (one.shown_thread == thread) return;
    const std::uint64_t now_ns = hardware_.now_ns();
    // Which thread ran is known from the last call; ~0 ends the slice.
    const unsigned ran = one.shown_thread == ~0u ? thread : one.shown_thread;
    if (now_ns > one.shown_since_ns) {
        const std::string& name = one.plan.threads[ran].name;
        timeline_->span(one.row, name.empty() ? one.plan.name : name, one.shown_since_ns, now_ns);
    }
    one.shown_thread = thread;
    one.shown_since_ns = now_ns;
}

void Processor::close_timeline() {
    if (timeline_ == nullptr) return;
    timeline_->span(owner_row_, owner_, owner_since_ns_, hardware_.now_ns());
}

}  // namespace ringside::lab
