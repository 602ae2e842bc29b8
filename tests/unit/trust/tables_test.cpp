// The tables under data/trust hold against the code and the events they speak of.
#include <set>

#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "events/catalogue.h"
#include "trust/advice.h"
#include "trust/listing.h"
#include "trust/loops.h"
#include "trust/provocation.h"

namespace ringside::trust {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::set<std::string> known_events() {
    std::set<std::string> names;
    for (const auto& entry : events::generic_events()) names.insert(entry.event.name);
    for (const auto* line : {"arm64", "intel", "amd"}) {
        for (const auto& event : events::architectural_events(line)) names.insert(event.name);
    }
    return names;
}

TEST(Provocations, SpeakOfKnownEventsOnly) {
    const auto names = known_events();
    auto rows = base::parse_csv(*base::embedded_file("trust/provocation.csv"));
    ASSERT_GT(rows.size(), 1u);
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_THAT(names, Contains(rows[i][0]));
}

TEST(Provocations, TheLoopsNumbersAreTheLoops) {
    const Provocations table;
    EXPECT_EQ(table.of("instructions").least, (measured_iterations - 1) * loop_instructions);
    EXPECT_EQ(table.of("branches").least, measured_iterations - 1);
    EXPECT_EQ(table.of("cycles").least, measured_iterations / loop_iterations_per_cycle);
}

TEST(Provocations, NothingIsCertainAboutOthers) {
    EXPECT_EQ(Provocations().of("dummy").least, 0u);
    EXPECT_EQ(Provocations().of("dummy").witness, Witness::none);
}

TEST(Advice, TheCodeKnowsEveryCondition) {
    auto rows = base::parse_csv(*base::embedded_file("trust/advice.csv"));
    ASSERT_GT(rows.size(), 1u);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].size(), 2u) << rows[i][0];
        EXPECT_TRUE(is_condition(rows[i][0])) << rows[i][0];
    }
}

Report healthy() {
    Report report;
    report.machine.hypervisor.name = "kvm";
    report.machine.hypervisor.vmm = "qemu";
    report.pmu.present = true;
    report.pmu.counters_ok = 6;
    report.pmu.user_read.state = CounterState::ok;
    report.kvm.usable = false;
    report.sampling.event = "cycles";
    for (const auto* name : {"task-clock", "context-switches", "instructions"}) {
        report.events.push_back({name, model::EventKind::software, CounterState::ok, {}, 1});
    }
    return report;
}

TEST(Advice, NoneForAHealthyMachine) {
    EXPECT_THAT(advise(healthy()), testing::IsEmpty());
}

TEST(Advice, NamesWhoWouldHaveToLendThePmu) {
    Report report = healthy();
    report.pmu.present = false;
    EXPECT_THAT(advise(report), testing::ElementsAre(HasSubstr("<pmu state='on'/>")));
    report.machine.hypervisor.vmm = "gce";
    EXPECT_THAT(advise(report), testing::ElementsAre(HasSubstr("--performance-monitoring-unit")));
    report.machine.hypervisor = {};
    report.machine.hypervisor.name = "none";
    EXPECT_THAT(advise(report), testing::ElementsAre(HasSubstr("not virtual")));
}

TEST(Advice, TellsForbiddenApart) {
    Report report = healthy();
    report.events[1].state = CounterState::not_permitted;
    EXPECT_THAT(advise(report), Contains(HasSubstr("kernel.perf_event_paranoid=1")));
    report.events[0].state = CounterState::not_permitted;
    EXPECT_THAT(advise(report), Contains(HasSubstr("kernel.perf_event_paranoid=2")));
    report.machine.permissions.seccomp_mode.value = 2;
    report.machine.container.runtime = "docker";
    EXPECT_THAT(advise(report), Contains(HasSubstr("seccomp")));
    EXPECT_THAT(advise(report), Contains(HasSubstr("--cap-add PERFMON;")));
}

TEST(Advice, StarvationAndFreezes) {
    Report report = healthy();
    report.pmu.slots.push_back({0, "cycles:u", CounterState::starved, {}, 0});
    EXPECT_THAT(advise(report), Contains(HasSubstr("on the host has taken them")));
    report.pmu.watch.freezes.push_back({0, "cycles:u", 5, std::nullopt});
    EXPECT_THAT(advise(report), Contains(HasSubstr("--watch 60")));
}

TEST(Listing, PatternsMatchPartsOrWholeNames) {
    EXPECT_TRUE(matches("kvm:kvm_exit", ""));
    EXPECT_TRUE(matches("L1-dcache-loads", "DCACHE"));
    EXPECT_TRUE(matches("kvm:kvm_exit", "kvm:*"));
    EXPECT_FALSE(matches("sched:kvm", "kvm:*"));
    EXPECT_FALSE(matches("cycles", "cycle?x"));
}

TEST(Listing, ArchitecturalLineFollowsTheVendor) {
    platform::CpuModel cpu;
    EXPECT_EQ(platform::event_line(cpu), "");
    cpu.vendor.value = "GenuineIntel";
    EXPECT_EQ(platform::event_line(cpu), "intel");
    cpu.vendor.value = "AuthenticAMD";
    EXPECT_EQ(platform::event_line(cpu), "amd");
    cpu.arch = platform::Arch::arm64;
    EXPECT_EQ(platform::event_line(cpu), "arm64");
}

TEST(Listing, AdvertisedByCodeOnArm64Only) {
    platform::Machine machine;
    machine.event_sources.sources.emplace_back();
    machine.event_sources.sources[0].is_cpu = true;
    machine.event_sources.sources[0].events = {{"inst_retired", "event=0x0008"}, {"odd", "junk"}};
    model::Event event;
    event.code = {4, 8, 0, 0};
    EXPECT_EQ(advertised(machine, event), std::nullopt);
    machine.cpu.arch = platform::Arch::arm64;
    EXPECT_EQ(advertised(machine, event), true);
    event.code.config = 0x21;
    EXPECT_EQ(advertised(machine, event), false);
}

}  // namespace
}  // namespace ringside::trust
