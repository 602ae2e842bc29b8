#include "soft/events.h"

#include <gtest/gtest.h>

#include "abi/soft_counts.h"
#include "base/embedded.h"
#include "base/text.h"
#include "soft/launch.h"

namespace ringside::soft {
namespace {

TEST(SoftEvents, AreTheCountersInTheirOrder) {
    const auto events = all_events();
    ASSERT_EQ(events.size(), SOFT_COUNTERS);
    EXPECT_EQ(events[SOFT_INSTRUCTIONS].name, "INSTRUCTIONS");
    EXPECT_EQ(events[SOFT_TAKEN_BRANCHES].name, "TAKEN_BRANCHES");
    EXPECT_EQ(events[SOFT_IO].name, "IO");
    EXPECT_EQ(events[SOFT_L1D_MISS_MODEL].name, "L1D_MISS_MODEL");
    EXPECT_EQ(events[SOFT_DTLB_STORE_MISS_MODEL].name, "DTLB_STORE_MISS_MODEL");
}

TEST(SoftEvents, AModelSaysSo) {
    for (const auto& event : all_events()) {
        const bool modelled = event.needs == Needs::predictor || event.needs == Needs::caches;
        EXPECT_EQ(event.name.ends_with("_MODEL"), modelled) << event.name;
        EXPECT_EQ(event.stat_name.ends_with("-model"), modelled) << event.stat_name;
    }
}

// The driver is C of another world, and has a table of its own.
TEST(SoftEvents, AreCalledTheSameByTheDriver) {
    const auto driver = base::embedded_file("driver/events.c");
    ASSERT_TRUE(driver);
    for (const auto& event : all_events()) {
        const std::string name = event.stat_name.empty() ? "kernel-instructions" : event.stat_name;
        EXPECT_TRUE(base::contains(*driver, "\"" + name + "\", SOFT_" + event.name + ")")) << name;
    }
}

TEST(SoftEvents, AreFoundByEitherName) {
    for (const char* name :
         {"instructions", "instructions:u", "INSTRUCTIONS", "soft:::INSTRUCTIONS"}) {
        const auto found = find_program_event(name);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->counter, SOFT_INSTRUCTIONS);
    }
    for (const char* name : {"cycles", "instructions:k", "IO", "", "soft:::"}) {
        EXPECT_FALSE(find_program_event(name)) << name;
    }
}

TEST(SoftLaunch, SwitchesOnWhatEventsNeed) {
    LaunchOptions options;
    options.want(*find_program_event("instructions"));
    EXPECT_FALSE(options.branches);
    options.want(*find_program_event("branches"));
    EXPECT_TRUE(options.branches);
    EXPECT_FALSE(options.memory || options.predictor || options.caches);
    options.want(*find_program_event("stores"));
    options.want(*find_program_event("branch-misses-model"));
    options.want(*find_program_event("L2-misses-model"));
    EXPECT_TRUE(options.memory && options.predictor && options.caches);
}

}  // namespace
}  // namespace ringside::soft
