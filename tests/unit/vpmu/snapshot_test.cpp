#include "vpmu/snapshot.h"

#include <gtest/gtest.h>

namespace ringside::vpmu {
namespace {

struct Machine {
    explicit Machine(const PmuModel& model, Policy policy = Policy::mediated) {
        vm.model = model;
        vm.policy = policy;
    }
    Vm vm;
};

TEST(Snapshot, CrossesToAHostWithMoreCounters) {
    Machine machine(intel_perfmon(4, 3));
    Vcpu from(machine.vm);
    from.guest.counter[2] = 77;
    from.guest.overflow = 0b100;
    from.interrupt_pending = true;
    Vcpu to(machine.vm);
    ASSERT_EQ(restore(to, save(from), intel_perfmon(8, 4)), Refusal::none);
    EXPECT_EQ(to.guest, from.guest);
    EXPECT_TRUE(to.interrupt_pending);
}

TEST(Snapshot, IsRefusedWhereThePromiseCannotBeKept) {
    const auto refusal = [](const PmuModel& guest, const PmuModel& host,
                            Policy policy = Policy::mediated) {
        Machine machine(guest, policy);
        Vcpu vcpu(machine.vm);
        return restore(vcpu, save(vcpu), host);
    };
    EXPECT_EQ(refusal(intel_perfmon(8, 4), intel_perfmon(4, 3)), Refusal::fewer_counters);
    EXPECT_EQ(refusal(intel_perfmon(4, 3), amd_perfmon_v2(6)), Refusal::other_architecture);
    EXPECT_EQ(refusal(intel_perfmon(4, 3), intel_perfmon(4, 3, 5, 40)), Refusal::narrower_counters);
    EXPECT_EQ(refusal(arm_pmuv3(6), arm_pmuv3(6, 6)), Refusal::narrower_counters)
        << "counters that are wider wrap elsewhere";
    EXPECT_EQ(refusal(intel_perfmon(8, 4), intel_perfmon(4, 3), Policy::legacy), Refusal::none)
        << "starved, and said to be";
    PmuModel without_chain = arm_pmuv3(6);
    without_chain.event_ids &= ~bit(0x1e);
    EXPECT_EQ(refusal(arm_pmuv3(6), without_chain), Refusal::missing_events);
}

TEST(Snapshot, DamageIsFound) {
    Machine machine(intel_perfmon(4, 3));
    const auto refusal = [&](auto damage) {
        Vcpu vcpu(machine.vm);
        Snapshot snapshot = save(vcpu);
        damage(snapshot);
        const PmuState before = vcpu.guest;
        const Refusal answer = restore(vcpu, snapshot, intel_perfmon(4, 3));
        EXPECT_EQ(vcpu.guest, before);
        return answer;
    };
    EXPECT_EQ(refusal([](Snapshot& s) { s.version = 2; }), Refusal::malformed);
    EXPECT_EQ(refusal([](Snapshot& s) { s.state.counter[0] = ~0ull; }), Refusal::malformed);
    EXPECT_EQ(refusal([](Snapshot& s) { s.state.selector[0] = 1ull << 40; }), Refusal::malformed);
    EXPECT_EQ(refusal([](Snapshot& s) { s.state.enable = ~0ull; }), Refusal::malformed);
    EXPECT_EQ(refusal([](Snapshot& s) { s.model.general = ~0ull; }), Refusal::malformed);
    EXPECT_EQ(refusal([](Snapshot& s) { s.model = intel_perfmon(2, 0); }), Refusal::other_machine);
}

}  // namespace
}  // namespace ringside::vpmu
