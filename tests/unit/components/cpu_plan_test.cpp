// Which events share a group, and what machines with several kinds of core do; pure.
#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include "components/cpu/plan.h"
#include "components/cpu/resolve.h"
#include "events/parse.h"

namespace ringside::components::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

platform::EventSource source(const char* name, std::uint32_t type, bool is_cpu, const char* cpus) {
    platform::EventSource made;
    made.name = name;
    made.type = type;
    made.is_cpu = is_cpu;
    made.cpus = cpus;
    return made;
}

const std::vector<platform::EventSource> plain{source("cpu", 4, true, ""),
                                               source("uncore_imc_0", 20, false, "0,8")};
const std::vector<platform::EventSource> hybrid{source("cpu_core", 4, true, "0-3"),
                                                source("cpu_atom", 10, true, "4-7"),
                                                source("uncore_imc_0", 20, false, "0")};

model::Event event(std::uint32_t type, std::uint64_t config) {
    model::Event made;
    made.code = {type, config, 0, 0};
    return made;
}

const model::Event cycles = event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
const model::Event raw = event(PERF_TYPE_RAW, 0x1a2);
const model::Event faults = event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
const model::Event uncore = event(20, 1);

std::string shape(const std::vector<PlannedGroup>& groups) {
    std::string text;
    for (const auto& group : groups) {
        text += text.empty() ? "" : " | ";
        for (const auto& member : group.members) {
            text += std::to_string(member.slot) + "." + std::to_string(member.part) + " ";
        }
    }
    return text;
}

std::vector<CountedEvent> spread(const std::vector<model::Event>& events,
                                 const std::vector<platform::EventSource>& sources) {
    std::vector<CountedEvent> counted;
    for (const auto& each : events) counted.push_back(spread_over_pmus(each, sources));
    return counted;
}

TEST(SpreadOverPmus, OneKindOfCoreIsOnePart) {
    const auto counted = spread_over_pmus(cycles, plain);
    ASSERT_THAT(counted.parts, SizeIs(1));
    EXPECT_EQ(counted.parts[0].event.code, cycles.code);
    EXPECT_THAT(counted.parts[0].cpus, IsEmpty());
    EXPECT_EQ(counted.parts[0].key, spread_over_pmus(raw, plain).parts[0].key);
    EXPECT_FALSE(counted.software());
    EXPECT_TRUE(spread_over_pmus(faults, plain).software());
}

TEST(SpreadOverPmus, EachKindOfCoreGetsAPart) {
    const auto counted = spread_over_pmus(cycles, hybrid);
    ASSERT_THAT(counted.parts, SizeIs(2));
    EXPECT_EQ(counted.parts[0].pmu, "cpu_core");
    EXPECT_EQ(counted.parts[1].event.code.type, PERF_TYPE_HARDWARE);
    EXPECT_EQ(counted.parts[1].event.code.config, 10ull << 32 | PERF_COUNT_HW_CPU_CYCLES);
    EXPECT_THAT(counted.parts[1].cpus, ElementsAre(4, 5, 6, 7));
    const auto by_code = spread_over_pmus(raw, hybrid);
    ASSERT_THAT(by_code.parts, SizeIs(2));
    EXPECT_EQ(by_code.parts[1].event.code, (model::EventCode{10, 0x1a2, 0, 0}));
}

TEST(SpreadOverPmus, ANamedPmuIsTheOnlyOne) {
    const auto atom = spread_over_pmus(event(10, 0x3c), hybrid);
    ASSERT_THAT(atom.parts, SizeIs(1));
    EXPECT_EQ(atom.parts[0].pmu, "cpu_atom");
    const auto memory = spread_over_pmus(uncore, hybrid);
    ASSERT_THAT(memory.parts, SizeIs(1));
    EXPECT_THAT(memory.parts[0].cpus, ElementsAre(0));
    EXPECT_EQ(spread_over_pmus(event(99, 1), hybrid).parts[0].key, 99u);
}

TEST(PlanGroups, OneGroupWithSoftwareInItsPlace) {
    EXPECT_EQ(shape(plan_groups(spread({faults, cycles, raw}, plain), false, false)),
              "0.0 1.0 2.0 ");
    EXPECT_EQ(shape(plan_groups(spread({faults, faults}, plain), false, false)), "0.0 1.0 ");
}

TEST(PlanGroups, EachPmuHasItsOwn) {
    EXPECT_EQ(shape(plan_groups(spread({cycles, faults, raw}, hybrid), false, false)),
              "0.0 1.0 2.0  | 0.1 2.1 ");
    EXPECT_EQ(shape(plan_groups(spread({cycles, uncore}, plain), false, true)), "0.0  | 1.0 ");
}

TEST(PlanGroups, TurnsAreTakenAlone) {
    EXPECT_EQ(shape(plan_groups(spread({cycles, faults, raw, faults}, plain), true, false)),
              "0.0  | 1.0 3.0  | 2.0 ");
}

TEST(PlanGroups, OnCpusSoftwareKeepsApart) {
    const auto groups = plan_groups(spread({faults, cycles}, hybrid), false, true);
    EXPECT_EQ(shape(groups), "0.0  | 1.0  | 1.1 ");
    EXPECT_THAT(groups[0].cpus, IsEmpty());
    EXPECT_THAT(groups[2].cpus, ElementsAre(4, 5, 6, 7));
}

}  // namespace
}  // namespace ringside::components::cpu
