// Costs of the engine in instructions, for callgrind: `vpmu_costs NAME COUNT` does one thing COUNT
// times on the simulated PMU; bench/vpmu runs it twice and takes the difference.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lab/sim_pmu.h"
#include "vpmu/bits.h"
#include "vpmu/cpu.h"

namespace {

using namespace ringside;
using namespace ringside::vpmu;

struct Bench {
    Bench(const PmuModel& model, Policy policy, unsigned counting)
        : hardware(model), cpu(hardware, model, 0) {
        vm.policy = policy;
        vm.model = model;
        vcpu = std::make_unique<Vcpu>(vm, 1);
        for (Slot slot = 0; slot < counting; ++slot) {
            vcpu->guest.counter[slot] = 1000 + slot;
            vcpu->guest.selector[slot] =
                model.is_arm() ? 0x08
                               : 0xc0 | x86::select_user | x86::select_kernel | x86::select_enable;
        }
        if (model.is_arm() && counting != 0) {
            vcpu->guest.control = arm::pmcr_enable;
            vcpu->guest.enable = low_bits(counting);
        }
        if (model.architecture == Architecture::intel && counting != 0) {
            vcpu->guest.enable = model.slots();
            vcpu->guest.control = 0x3333 & low_bits(4 * model.fixed_count());
            for_each_slot(model.fixed, [&](Slot slot) { vcpu->guest.counter[slot] = 5; });
        }
        vcpu->refresh();
        (void)cpu.sched_in(*vcpu);
    }
    // What a caller pays for calling at all.
    [[gnu::noinline]] void nothing() { asm volatile("" ::: "memory"); }
    [[gnu::noinline]] void entry_and_exit() {
        cpu.enter(*vcpu);
        cpu.exit(*vcpu, ExitReason::other);
    }

    lab::SimPmu hardware;
    Cpu<lab::SimPmu> cpu;
    Vm vm;
    std::unique_ptr<Vcpu> vcpu;
};

struct Case {
    const char* name;
    PmuModel model;
    Policy policy;
    unsigned counting;
};

const Case cases[] = {
    {"idle_lazy_intel", intel_perfmon(8, 4), Policy::lazy_mediated, 0},
    {"idle_lazy_arm64", arm_pmuv3(6), Policy::lazy_mediated, 0},
    {"idle_legacy_intel", intel_perfmon(8, 4), Policy::legacy, 0},
    {"mediated_amd_6", amd_perfmon_v2(6), Policy::mediated, 6},
    {"mediated_arm64_6", arm_pmuv3(6), Policy::mediated, 6},
    {"mediated_intel_12", intel_perfmon(8, 4), Policy::mediated, 8},
    {"lazy_amd_6", amd_perfmon_v2(6), Policy::lazy_mediated, 6},
};

}  // namespace

int main(int argc, char** argv) {
    const unsigned long count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    for (const Case& one : cases) {
        if (argc < 2) {
            std::printf("%s\n", one.name);
            continue;
        }
        if (std::strcmp(one.name, argv[1]) != 0) continue;
        Bench bench(one.model, one.policy, one.counting);
        const auto before = bench.cpu.moves();
        const bool call_only = argc > 3;
        for (unsigned long i = 0; i < count; ++i) {
            call_only ? bench.nothing() : bench.entry_and_exit();
        }
        const auto after = bench.cpu.moves();
        if (count != 0) {
            std::printf("%.0f %.0f\n", double(after.writes - before.writes) / double(count),
                        double(after.reads - before.reads) / double(count));
        }
    }
}
