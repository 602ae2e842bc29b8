// One physical CPU: who holds its counters, and what happens at each entry, exit and vCPU switch.
// The caller is a VMM; it calls in this order:
//   sched_in(v)  { enter(v)  ...guest...  exit(v, why)  [read/write(v) for a trapped access] }*
//   sched_out(v)
// All calls for one Cpu come from that CPU. Nothing here allocates or blocks.
#pragma once

#include "vpmu/legacy.h"
#include "vpmu/logical.h"

namespace ringside::vpmu {

template <Hardware Hw>
class Cpu {
  public:
    // Takes the PMU over from firmware: whatever runs is stopped, everything is zeroed.
    Cpu(Hw& hw, const PmuModel& model, CpuId id)
        : registers_(hw, model), host_(registers_), id_(id) {
        registers_.reset();
    }
    Cpu(const Cpu&) = delete;
    Cpu& operator=(const Cpu&) = delete;

    CpuId id() const { return id_; }
    const PmuModel& model() const { return registers_.model(); }
    const Moves& moves() const { return registers_.moves(); }
    const Vcpu* resident() const { return resident_; }

    // False: something of the vCPU is still on CPU v.resident_on. Have release(v) run there (an
    // IPI), then call again. Xen pulls a context from its last CPU the same way.
    [[nodiscard]] bool sched_in(Vcpu& v);
    void sched_out(Vcpu& v);
    void enter(Vcpu& v);
    void exit(Vcpu& v, ExitReason why);

    // A guest's access that was intercepted, after exit() and before the next enter().
    Access read(Vcpu& v, Register which, Privilege privilege);
    Outcome write(Vcpu& v, Register which, std::uint64_t value, Privilege privilege);
    // An instruction that the VMM executed for the guest counts as if the guest had.
    void count_emulated(Vcpu& v, const Event& event, Privilege privilege, std::uint64_t events);
    // paravirtual: the guest's hypercall. False if the configuration does not fit the machine.
    [[nodiscard]] bool configure(Vcpu& v, const LogicalControl& wanted);

    // Leaves nothing of the vCPU on this CPU; what the guest sees is in v.guest.
    void release(Vcpu& v);
    // Before a vCPU goes away: no late interrupt may reach it.
    void forget(Vcpu& v) {
        if (resident_ == &v || v.resident_on == id_) release(v);
        if (last_released_ == &v) last_released_ = nullptr;
    }
    // v.guest is what the guest would read now.
    void bring_up_to_date(Vcpu& v);

    // The PMU's interrupt for the host's own events.
    void host_interrupt();
    // x86: the guests' PMI vector fired in host mode. It came too late for its exit, or the VMM's
    // work overflowed a domain-switched counter; it belongs to whom the counters belonged.
    void late_guest_interrupt();

    // The host's own events. Counts are exact after sync_host_events().
    EventId add_host_event(const HostEventRequest& request);
    void remove_host_event(EventId id);
    void enable_host_event(EventId id);
    void disable_host_event(EventId id);
    void rotate_host_events();
    void sync_host_events() {
        if (resident_ == nullptr) host_.sync();
    }
    const HostEvent& host_event(EventId id) const { return host_.events().at(id); }

  private:
    static bool is_lazy(const Vcpu& v) { return vpmu::is_lazy(v.vm->policy); }
    static bool is_logical(const Vcpu& v) { return vpmu::is_logical(v.vm->policy); }
    static bool is_backed_by_host(const Vcpu& v) { return vpmu::is_backed_by_host(v.vm->policy); }
    bool host_wants(TaskId task) const {
        return host_wanted_ && host_.events().wants_counters(task);
    }

    static bool filter_changed(const Vcpu& v) { return v.filter_seen != v.vm->filter.generation(); }

    // Kept out of line, so that an entry that has nothing to do costs next to nothing.
    [[gnu::noinline]] void adopt_filter(Vcpu& v);
    [[gnu::noinline]] void take(Vcpu& v);
    [[gnu::noinline]] void unload(Vcpu& v);
    void load_logical(Vcpu& v);
    void enter_lazily(Vcpu& v);
    [[gnu::noinline]] void park(Vcpu& v);
    [[gnu::noinline]] void unpark(Vcpu& v);
    [[gnu::noinline]] void give_to_host(TaskId task);
    void changed(Vcpu& v, Mask overflowed);
    // Keeps the shared page true; paravirtual guests see to it themselves.
    void show(Vcpu& v) {
        if (v.page != nullptr && !is_logical(v)) show_page(v);
    }
    [[gnu::noinline]] void show_page(Vcpu& v) {
        const bool runs = is_backed_by_host(v) ? scheduled_ == &v : resident_ == &v && !v.parked;
        publish(v, runs, registers_.now_ns());
    }
    [[gnu::noinline]] void guest_overflowed(Vcpu& v);
    void make_way_for_host();
    void host_events_changed();

    Registers<Hw> registers_;
    HostCounters<Hw> host_;
    CpuId id_;
    Vcpu* resident_ = nullptr;       // whose registers the hardware holds
    Vcpu* scheduled_ = nullptr;      // who runs on this CPU
    Vcpu* last_released_ = nullptr;  // whose late interrupt may still come
    Vm* last_logical_ = nullptr;     // whose counts a paravirtual guest would find
    bool host_wanted_ = false;       // the host has events at all
};

}  // namespace ringside::vpmu

#include "vpmu/cpu_host.h"
#include "vpmu/cpu_switch.h"
