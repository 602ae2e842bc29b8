// The live machine, whatever it is: what must hold everywhere.
#include "trust/examine.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <sched.h>

#include "trust/observe.h"
#include "trust/provocation.h"

namespace ringside::trust {
namespace {

std::ptrdiff_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

const Verdict* find(const Report& report, std::string_view name) {
    for (const auto& event : report.events) {
        if (event.name == name) return &event;
    }
    return nullptr;
}

TEST(Examine, LeavesNothingBehindAndExplainsEverything) {
    const auto files_before = open_files();
    cpu_set_t cpus_before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof cpus_before, &cpus_before), 0);
    const Report report = examine({}, {std::chrono::milliseconds(10)});
    EXPECT_EQ(open_files(), files_before);
    cpu_set_t cpus_after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof cpus_after, &cpus_after), 0);
    EXPECT_TRUE(CPU_EQUAL(&cpus_before, &cpus_after));
    EXPECT_GE(report.events.size(), 48u);
    for (const auto& event : report.events) EXPECT_FALSE(event.detail.empty()) << event.name;
    EXPECT_FALSE(report.pmu.reason.empty());
    EXPECT_TRUE(report.pmu.counters.has_value() || !report.pmu.counters_reason.empty());
    EXPECT_FALSE(report.sampling.reason.empty());
    EXPECT_FALSE(report.kvm.reason.empty());
}

TEST(Examine, SoftwareEventsAreHonestHere) {
    const Report report = examine({}, {std::chrono::milliseconds(10)});
    const Verdict* clock = find(report, "task-clock");
    ASSERT_NE(clock, nullptr);
    if (clock->state == CounterState::not_permitted) GTEST_SKIP() << clock->detail;
    for (const auto* name : {"task-clock", "cpu-clock", "page-faults", "minor-faults", "dummy"}) {
        ASSERT_NE(find(report, name), nullptr);
        EXPECT_EQ(find(report, name)->state, CounterState::ok) << find(report, name)->detail;
    }
    EXPECT_TRUE(report.sampling.event.has_value()) << report.sampling.reason;
}

TEST(Examine, WithoutAPmuHardwareEventsAreAbsentAndNoCounterIsFound) {
    const Report report = examine({}, {std::chrono::milliseconds(10)});
    if (report.pmu.present != false) GTEST_SKIP() << "a PMU is here: " << report.pmu.reason;
    EXPECT_EQ(report.pmu.counters, 0);
    EXPECT_EQ(report.sampling.event, "cpu-clock");
    for (const auto& event : report.events) {
        if (event.kind == model::EventKind::software) continue;
        EXPECT_EQ(event.state, CounterState::absent) << event.name << ": " << event.detail;
    }
}

TEST(Examine, WithAPmuTheKnownLoopIsCountedExactly) {
    const Report report = examine({}, {std::chrono::milliseconds(10)});
    const Verdict* instructions = find(report, "instructions");
    if (instructions->state != CounterState::ok) GTEST_SKIP() << instructions->detail;
    EXPECT_GT(report.pmu.counters.value_or(0), 0);
}

}  // namespace
}  // namespace ringside::trust
