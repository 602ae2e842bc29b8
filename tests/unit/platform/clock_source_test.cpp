#include "platform/clock_source.h"

#include <gtest/gtest.h>

#include "temp_tree.h"

namespace ringside::platform {
namespace {

Hypervisor guest(const std::string& name) {
    Hypervisor hypervisor;
    hypervisor.name = name;
    hypervisor.virtualized = known(true, "test", "test");
    return hypervisor;
}

TEST(ClockSource, StealInTheCpuLineIsReported) {
    TempTree tree;
    tree.put("/proc/stat", "cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 88 9 10\n");
    const auto reported = read_clock_source(tree.root(), Cpuid(), {}, guest("kvm")).steal_reported;
    EXPECT_EQ(reported.value, true);
    EXPECT_EQ(reported.evidence.text, "88 ticks of steal");
    tree.put("/proc/stat", "cpu  1 2 3 4 5 6 7 0 9 10\n");
    EXPECT_FALSE(read_clock_source(tree.root(), Cpuid(), {}, guest("kvm")).steal_reported.value);
}

TEST(ClockSource, KvmsStealBitIsReadWhereItsSignatureStands) {
    const TempTree tree;
    const std::string signature = "40000100 0 40000101 4b4d564b 564b4d56 0000004d\n";
    const auto with = Cpuid::from_text(signature + "40000101 0 20 0 0 0\n");
    const auto without = Cpuid::from_text(signature + "40000101 0 9 0 0 0\n");
    EXPECT_EQ(read_clock_source(tree.root(), with, {}, guest("kvm")).steal_reported.value, true);
    EXPECT_EQ(read_clock_source(tree.root(), without, {}, guest("kvm")).steal_reported.value,
              false);
    EXPECT_FALSE(read_clock_source(tree.root(), Cpuid(), {}, guest("kvm")).steal_reported.value);
}

TEST(ClockSource, ABootOptionCanTurnStealOff) {
    TempTree tree;
    tree.put("/proc/cmdline", "quiet no-steal-acc\n");
    EXPECT_EQ(read_clock_source(tree.root(), Cpuid(), {}, guest("xen")).steal_reported.value,
              false);
}

TEST(ClockSource, TheCounterIsACrystalTimesARatio) {
    const TempTree tree;
    const auto cpuid = Cpuid::from_text("15 0 2 c0 16e3600 0\n");  // 24 MHz * 192 / 2
    EXPECT_EQ(read_clock_source(tree.root(), cpuid, {}, {}).counter_hz.value, 2304000000u);
}

// 0x40000010 means something only up to the highest leaf that the hypervisor names.
TEST(ClockSource, ALeafAboveTheRangeIsNotAFrequency) {
    const TempTree tree;
    const auto cpuid = Cpuid::from_text("40000000 0 40000001 0 0 0\n40000010 0 1234 0 0 0\n");
    EXPECT_FALSE(read_clock_source(tree.root(), cpuid, {}, {}).counter_hz.value);
}

}  // namespace
}  // namespace ringside::platform
