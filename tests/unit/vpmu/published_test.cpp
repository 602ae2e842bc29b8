// What every policy shows on the shared page, and the skid that it accounts for.
#include <gtest/gtest.h>

#include "lab/sim_pmu.h"
#include "vpmu/bits.h"
#include "vpmu/cpu.h"
#include "vpmu/page_reader.h"

namespace ringside::vpmu {
namespace {

using Kind = RegisterKind;

constexpr lab::Occurrence instructions(const PmuModel& model, std::uint64_t events) {
    return {std::uint16_t(model.is_arm() ? 0x08 : 0xc0), 0, events};
}

// One vCPU on one CPU; its guest counts instructions on counter 1.
struct Bench {
    Bench(const PmuModel& pmu, Policy policy) : model(pmu), hardware(pmu), cpu(hardware, model, 0) {
        vm.policy = policy;
        vm.model = pmu;
        vcpu = std::make_unique<Vcpu>(vm, 1);
        words.resize(page_bytes(1, 0, 0) / 8 + 1);
        EXPECT_TRUE(format_page(words.data(), words.size() * 8, 1, 0, 0));
        vcpu->page = &vcpu_of(words.data(), 0);
        EXPECT_TRUE(cpu.sched_in(*vcpu));
        cpu.enter(*vcpu);
    }

    void write(Register which, std::uint64_t value) {
        if (!intercepts(*vcpu, model, which, true)) {
            (void)hardware.program_write(which, value, Privilege::kernel);
            return;
        }
        cpu.exit(*vcpu, ExitReason::pmu_access);
        EXPECT_EQ(cpu.write(*vcpu, which, value, Privilege::kernel), Outcome::done);
        cpu.enter(*vcpu);
    }
    void count_from(std::uint64_t value) {
        write({Kind::counter, 1}, value);
        if (model.is_arm()) {
            write({Kind::selector, 1}, 0x08);
            write({Kind::interrupt_set, 0}, bit(1));
            write({Kind::enable_set, 0}, bit(1));
            write({Kind::control, 0}, arm::pmcr_enable);
        } else {
            write({Kind::selector, 1}, 0xc0 | x86::select_user | x86::select_kernel |
                                           x86::select_interrupt | x86::select_enable);
            write({Kind::enable, 0}, model.general);
        }
    }
    void run(std::uint64_t events) {
        const lab::Occurrence happened[] = {instructions(model, events)};
        hardware.run(Mode::guest_user, happened);
    }
    PageReader reader() { return {words.data(), words.size() * 8}; }
    const vpmu_page_counter& shown() { return reader().vcpu(0)->counter[1]; }

    PmuModel model;
    lab::SimPmu hardware;
    Cpu<lab::SimPmu> cpu;
    Vm vm;
    std::unique_ptr<Vcpu> vcpu;
    std::vector<std::uint64_t> words;
};

constexpr Policy with_registers[] = {Policy::legacy,   Policy::cpu_switch,    Policy::domain_switch,
                                     Policy::mediated, Policy::lazy_mediated, Policy::shared_view};
const PmuModel models[] = {intel_perfmon(4, 0), amd_perfmon_v2(6), arm_pmuv3(6)};

TEST(PublishedPage, EveryPolicyShowsCountersAndWhatTheyCount) {
    for (const PmuModel& model : models) {
        for (const Policy policy : with_registers) {
            SCOPED_TRACE(traits_of(policy).name);
            Bench bench(model, policy);
            bench.count_from(1000);
            bench.run(234);
            bench.cpu.exit(*bench.vcpu, ExitReason::other);
            bench.cpu.sched_out(*bench.vcpu);
            bench.cpu.release(*bench.vcpu);
            EXPECT_EQ(bench.shown().raw, 1234u);
            EXPECT_EQ(bench.shown().event, model.is_arm() ? 0x0800u : 0xc000u);
            EXPECT_EQ(bench.shown().width_bits, model.width_bits);
            EXPECT_EQ(bench.vcpu->page->starved, 0u);
            std::uint64_t count = 0;
            const auto phys = [](unsigned) { return std::uint64_t{1234}; };
            ASSERT_TRUE(read_vcpu_count(*bench.vcpu->page, 1, phys, count));
            EXPECT_EQ(count, 1234u);
        }
    }
}

TEST(PublishedPage, ACounterThatRunsIsShownRunning) {
    for (const PmuModel& model : models) {
        for (const Policy policy : with_registers) {
            SCOPED_TRACE(traits_of(policy).name);
            Bench bench(model, policy);
            bench.count_from(1000);
            // x86 guests switch the last enable on unseen; the next exit and entry show it.
            bench.cpu.exit(*bench.vcpu, ExitReason::other);
            bench.cpu.bring_up_to_date(*bench.vcpu);
            bench.cpu.enter(*bench.vcpu);
            EXPECT_EQ(bench.vcpu->page->active, 2u);
            EXPECT_EQ(bench.shown().sum, bench.shown().start);
        }
    }
}

TEST(PublishedPage, StarvedIsSaidWhereTheHostHoldsEveryCounter) {
    const PmuModel model = amd_perfmon_v2(2);
    for (const Policy policy : with_registers) {
        SCOPED_TRACE(traits_of(policy).name);
        Bench bench(model, policy);
        bench.cpu.exit(*bench.vcpu, ExitReason::other);
        for (int i = 0; i < 2; ++i) {
            HostEventRequest request{.event = {0x76, 0}, .pinned = true};
            request.in_guest = policy == Policy::legacy;
            (void)bench.cpu.add_host_event(request);
        }
        bench.cpu.enter(*bench.vcpu);
        bench.count_from(0);
        std::uint64_t starved = 0;
        ASSERT_TRUE(bench.reader().read_starved(0, starved));
        EXPECT_EQ(starved, policy == Policy::legacy ? 2u : 0u);
    }
}

TEST(Skid, IsTheEventsBetweenOverflowAndHandling) {
    for (const PmuModel& model : models) {
        for (const Policy policy : {Policy::legacy, Policy::cpu_switch, Policy::mediated,
                                    Policy::lazy_mediated, Policy::shared_view}) {
            SCOPED_TRACE(traits_of(policy).name);
            Bench bench(model, policy);
            bench.count_from((0 - std::uint64_t{100}) & model.value_mask(1));
            bench.run(107);
            ASSERT_TRUE(bench.hardware.interrupt_level());
            bench.cpu.exit(*bench.vcpu, ExitReason::pmu_interrupt);
            EXPECT_TRUE(bench.vcpu->wants_interrupt());
            EXPECT_EQ(bench.vcpu->skid.count, 1u);
            EXPECT_EQ(bench.vcpu->skid.least, 7u);
            EXPECT_EQ(bench.vcpu->skid.most, 7u);
            EXPECT_EQ(bench.vcpu->skid.total, 7u);
        }
    }
}

}  // namespace
}  // namespace ringside::vpmu
