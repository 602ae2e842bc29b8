// A VMM of 150 lines around src/vpmu: two machines share one CPU's PMU. Only three things are the
// VMM's own: a backend (here a simulated PMU), the run loop, and the handler of trapped accesses.
// docs/vpmu.md walks through it. Usage: tiny_vmm [policy]
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

#include "lab/sim_pmu.h"
#include "vpmu/bits.h"
#include "vpmu/cpu.h"
#include "vpmu/snapshot.h"

namespace {

using namespace ringside;
using namespace ringside::vpmu;

constexpr PmuModel pmu = amd_perfmon_v2(6);
constexpr std::uint32_t perf_ctl0 = 0xc0010200;
constexpr std::uint32_t perf_ctr0 = 0xc0010201;
constexpr std::uint64_t count_instructions =
    0xc0 | x86::select_user | x86::select_kernel | x86::select_enable;

// A guest is a list of things to do; a real one would be code.
struct Guest {
    explicit Guest(Vm& vm, TaskId thread) : vcpu(vm, thread) {}
    Vcpu vcpu;
    std::uint64_t executed = 0;  // instructions, the truth
    unsigned exits = 0;
};

class Vmm {
  public:
    Vmm() : cpu_(hardware_, pmu, 0) {}

    // WRMSR and RDMSR of a guest: straight to the hardware, or an exit and the engine.
    void wrmsr(Guest& guest, std::uint32_t msr, std::uint64_t value) {
        const Register which = decode_msr(pmu, msr);
        if (!intercepts(guest.vcpu, pmu, which, true)) {
            (void)hardware_.program_write(which, value, Privilege::kernel);
            return;
        }
        leave(guest, ExitReason::pmu_access);
        if (cpu_.write(guest.vcpu, which, value, Privilege::kernel) == Outcome::undefined) {
            std::printf("the guest gets #GP for MSR %#x\n", msr);
        }
        cpu_.enter(guest.vcpu);
    }
    std::uint64_t rdmsr(Guest& guest, std::uint32_t msr) {
        const Register which = decode_msr(pmu, msr);
        if (!intercepts(guest.vcpu, pmu, which, false)) {
            return hardware_.program_read(which, Privilege::kernel).value;
        }
        leave(guest, ExitReason::pmu_access);
        const Access got = cpu_.read(guest.vcpu, which, Privilege::kernel);
        cpu_.enter(guest.vcpu);
        return got.value;
    }

    // A time slice: the guest executes, the device model works for it between two exits.
    void run(Guest& guest, unsigned exits, std::uint64_t instructions) {
        for (unsigned i = 0; i < exits; ++i) {
            const lab::Occurrence guest_work[] = {{0xc0, 0, instructions}};
            hardware_.run(Mode::guest_kernel, guest_work);
            guest.executed += instructions;
            const bool interrupt = hardware_.interrupt_level();
            leave(guest, interrupt ? ExitReason::pmu_interrupt : ExitReason::other);
            const lab::Occurrence vmm_work[] = {{0xc0, 0, 250}};
            hardware_.run(Mode::host, vmm_work);
            if (guest.vcpu.wants_interrupt()) guest.vcpu.interrupt_injected();  // into its APIC
            cpu_.enter(guest.vcpu);
        }
    }

    void switch_to(Guest& guest) {
        if (!cpu_.sched_in(guest.vcpu)) std::printf("its registers are on another CPU\n");
        cpu_.enter(guest.vcpu);
    }
    void switch_away(Guest& guest) {
        leave(guest, ExitReason::other);
        cpu_.sched_out(guest.vcpu);
    }
    std::uint64_t moves() const { return cpu_.moves().total(); }

    EventId host_perf_stat() {
        HostEventRequest request{.event = {0xc0, 0}, .allowed = pmu.general};
        request.in_guest = false;  // exclude_guest: the mediated policies ask for it
        return cpu_.add_host_event(request);
    }
    std::uint64_t host_count(EventId id) {
        cpu_.sync_host_events();
        return cpu_.host_event(id).count;
    }

  private:
    void leave(Guest& guest, ExitReason why) {
        cpu_.exit(guest.vcpu, why);
        ++guest.exits;
    }

    lab::SimPmu hardware_{pmu};
    Cpu<lab::SimPmu> cpu_;
};

bool policy_named(const char* name, Policy& policy) {
    // Logical counters need a guest that makes hypercalls.
    return find_policy(name, policy) && !is_logical(policy);
}

}  // namespace

int main(int argc, char** argv) {
    Vm vm;
    vm.model = pmu;
    vm.policy = Policy::mediated;
    if (argc > 1 && !policy_named(argv[1], vm.policy)) {
        std::fprintf(stderr, "tiny_vmm: no such policy here: %s\n", argv[1]);
        return 1;
    }
    if (const Refusal refusal = can_host(vm, pmu); refusal != Refusal::none) {
        std::fprintf(stderr, "tiny_vmm: %s\n", to_text(refusal));
        return 1;
    }
    Vmm vmm;
    const EventId host = vmm.host_perf_stat();
    Guest counts(vm, 1);
    Guest idles(vm, 2);

    vmm.switch_to(counts);
    vmm.wrmsr(counts, perf_ctl0, count_instructions);
    vmm.switch_away(counts);
    counts.exits = 0;
    for (int slice = 0; slice < 10; ++slice) {
        for (Guest* guest : {&counts, &idles}) {
            vmm.switch_to(*guest);
            vmm.run(*guest, 5, 1000);
            vmm.switch_away(*guest);
        }
    }
    vmm.switch_to(counts);
    const std::uint64_t counted = vmm.rdmsr(counts, perf_ctr0);
    vmm.switch_away(counts);
    std::printf("%s: the guest executed %" PRIu64 " instructions and counted %" PRIu64
                "; the host counted %" PRIu64 " of its own; %" PRIu64 " register moves\n",
                traits_of(vm.policy).name, counts.executed, counted, vmm.host_count(host),
                vmm.moves());
    return counted >= counts.executed ? 0 : 1;
}
