// What the lazy policy is for: half the vCPUs never touch their PMU, a quarter count, a quarter
// sample, and the host runs `perf stat -a`.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "lab/sim_pmu.h"
#include "vpmu/bits.h"
#include "vpmu/cpu.h"

namespace ringside::vpmu {
namespace {

enum class Use { idle, counts, samples };

// Four general counters, as `perf stat -e` of four events asks for.
void program(Vcpu& vcpu, Use use) {
    if (use == Use::idle) return;
    const PmuModel& model = vcpu.model();
    const unsigned counters = use == Use::counts ? 4 : 1;
    const std::uint16_t x86_events[] = {0xc0, 0x3c, 0xc4, 0xc5};
    const std::uint16_t arm_events[] = {0x08, 0x11, 0x12, 0x10};
    for (Slot slot = 0; slot < counters; ++slot) {
        vcpu.guest.selector[slot] = model.is_arm()
                                        ? arm_events[slot]
                                        : x86_events[slot] | x86::select_user | x86::select_kernel |
                                              x86::select_enable |
                                              (use == Use::samples ? x86::select_interrupt : 0);
    }
    if (model.is_arm()) {
        vcpu.guest.control = arm::pmcr_enable;
        vcpu.guest.enable = low_bits(counters);
        if (use == Use::samples) vcpu.guest.interrupt_enable = 1;
    }
    if (use == Use::samples) vcpu.guest.counter[0] = model.value_mask(0) - 100'000;
    vcpu.refresh();
}

std::uint64_t moves_under(Policy policy, const PmuModel& model) {
    lab::SimPmu hardware(model);
    Cpu<lab::SimPmu> cpu(hardware, model, 0);
    for (const auto& [select, umask] : {std::pair{0xc0, 0}, {0x3c, 0}, {0xc4, 0}, {0xc5, 0}}) {
        HostEventRequest request{.event = {std::uint16_t(select), std::uint8_t(umask)}};
        request.allowed = model.general;
        request.in_guest = false;
        EXPECT_NE(cpu.add_host_event(request), no_event);
    }
    Vm vm;
    vm.policy = policy;
    vm.model = model;
    std::vector<std::unique_ptr<Vcpu>> vcpus;
    for (TaskId i = 0; i < 8; ++i) {
        vcpus.push_back(std::make_unique<Vcpu>(vm, i + 1));
        program(*vcpus.back(), i % 4 < 2 ? Use::idle : i % 4 == 2 ? Use::counts : Use::samples);
    }
    const std::uint64_t before = cpu.moves().total();
    const lab::Occurrence happened[] = {{0xc0, 0, 900}, {0x3c, 0, 1000}, {0x08, 0, 900}};
    for (unsigned slice = 0; slice < 400; ++slice) {
        Vcpu& vcpu = *vcpus[slice % vcpus.size()];
        EXPECT_TRUE(cpu.sched_in(vcpu));
        for (unsigned exit = 0; exit < 10; ++exit) {
            cpu.enter(vcpu);
            hardware.run(Mode::guest_user, happened);
            const bool interrupts = hardware.interrupt_level();
            cpu.exit(vcpu, interrupts      ? ExitReason::pmu_interrupt
                           : exit % 3 == 0 ? ExitReason::fast
                                           : ExitReason::other);
        }
        cpu.sched_out(vcpu);
    }
    return cpu.moves().total() - before;
}

TEST(LazyMediated, MovesAtMostAThirdInTheCommonMix) {
    for (const PmuModel& model : {intel_perfmon(8, 4), amd_perfmon_v2(6), arm_pmuv3(6)}) {
        const std::uint64_t mediated = moves_under(Policy::mediated, model);
        const std::uint64_t lazy = moves_under(Policy::lazy_mediated, model);
        EXPECT_LE(lazy * 3, mediated) << lazy << " against " << mediated << ", architecture "
                                      << static_cast<int>(model.architecture);
    }
}

}  // namespace
}  // namespace ringside::vpmu
