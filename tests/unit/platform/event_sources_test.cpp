#include "platform/event_sources.h"

#include <gtest/gtest.h>

#include "temp_tree.h"

namespace ringside::platform {
namespace {

const std::string devices = "/sys/bus/event_source/devices/";

TEST(EventSources, ACoreIsToldFromAnUncoreByItsCpusFile) {
    TempTree tree;
    tree.put(devices + "armv8_cortex_a55/type", "8\n")
        .put(devices + "armv8_cortex_a55/cpus", "0-3\n");
    tree.put(devices + "arm_cmn_0/type", "9\n").put(devices + "arm_cmn_0/cpumask", "0\n");
    const auto all = read_event_sources(tree.root(), Cpuid());
    ASSERT_EQ(all.sources.size(), 2u);
    ASSERT_NE(all.cpu(), nullptr);
    EXPECT_EQ(all.cpu()->name, "armv8_cortex_a55");
    EXPECT_EQ(all.cpu()->cpus, "0-3");
    ASSERT_NE(all.find("arm_cmn_0"), nullptr);
    EXPECT_EQ(all.find("arm_cmn_0")->cpus, "0");
    EXPECT_EQ(all.find("arm_cmn_0")->type, 9u);
    EXPECT_EQ(all.find("none"), nullptr);
}

TEST(EventSources, UnitsAndScalesAreNotEvents) {
    TempTree tree;
    tree.put(devices + "power/events/energy-pkg", "event=0x02\n");
    tree.put(devices + "power/events/energy-pkg.scale", "2.3e-10\n");
    tree.put(devices + "power/events/energy-pkg.unit", "Joules\n");
    tree.put(devices + "power/format/event", "config:0-7\n");
    const auto all = read_event_sources(tree.root(), Cpuid());
    ASSERT_EQ(all.sources.size(), 1u);
    ASSERT_EQ(all.sources[0].events.size(), 1u);
    EXPECT_EQ(all.sources[0].events[0].name, "energy-pkg");
    EXPECT_EQ(all.sources[0].events[0].text, "event=0x02");
    EXPECT_EQ(all.sources[0].formats[0].text, "config:0-7");
    EXPECT_FALSE(all.sources[0].type);
    EXPECT_EQ(all.cpu(), nullptr);
}

TEST(EventSources, WithoutTheFolderTheReasonIsGiven) {
    const TempTree tree;
    const auto all = read_event_sources(tree.root(), Cpuid());
    EXPECT_EQ(all.readable.value, false);
    EXPECT_NE(all.readable.evidence.text.find("event_source"), std::string::npos);
}

TEST(EventSources, WhatCpuidAdvertisesIsDecoded) {
    const TempTree tree;
    const auto intel = Cpuid::from_text("0 0 16 756e6547 6c65746e 49656e69\na 0 8300805 0 0 604\n");
    const auto pmu = read_event_sources(tree.root(), intel).advertised;
    EXPECT_EQ(pmu.kind.value, "arch_perfmon");
    EXPECT_EQ(pmu.version, 5);
    EXPECT_EQ(pmu.general_counters, 8);
    EXPECT_EQ(pmu.general_width_bits, 48);
    EXPECT_EQ(pmu.fixed_counters, 4);
    EXPECT_EQ(pmu.fixed_width_bits, 48);
}

}  // namespace
}  // namespace ringside::platform
