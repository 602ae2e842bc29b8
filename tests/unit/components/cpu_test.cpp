// Event sets on the running kernel, with software events, which every machine has.
#include "components/cpu/cpu.h"

#include <array>

#include "live.h"

namespace ringside::components {
namespace {

using Names = std::vector<std::string_view>;

TEST(CpuComponent, CountsWhatHappenedBetweenStartAndStop) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "page-faults:u");
    touch_pages(500);
    const auto before = faults_so_far();
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    const auto after = faults_so_far();
    touch_pages(500);
    std::array<std::int64_t, 1> value{};
    ASSERT_TRUE(set.read(value));
    EXPECT_GE(value[0], 100);
    EXPECT_LE(value[0], after - before);
}

TEST(CpuComponent, EveryStartCountsFromZeroAndResetGoesBackThere) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"page-faults:u", "minor-faults:u", "task-clock:u"});
    std::array<std::int64_t, 3> values{};
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(set.start());
        touch_pages(100);
        ASSERT_TRUE(set.stop());
        ASSERT_TRUE(set.read(values));
        EXPECT_GE(values[0], 100);
        EXPECT_LT(values[0], 200);
    }
    ASSERT_TRUE(set.reset());
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(values, (std::array<std::int64_t, 3>{}));
}

TEST(CpuComponent, ReadingsCarryTheirTimesAndState) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"task-clock:u", "page-faults:u"});
    ASSERT_TRUE(set.start());
    touch_pages(100);
    const auto readings = set.read();
    ASSERT_TRUE(readings);
    ASSERT_EQ(readings->size(), 2u);
    for (const auto& reading : *readings) {
        EXPECT_EQ(reading.state, CounterState::ok);
        EXPECT_GT(reading.value, 0);
        EXPECT_GT(reading.enabled_ns, 0u);
        EXPECT_EQ(reading.enabled_ns, reading.running_ns);
        EXPECT_EQ(reading.scale_error, 0);
    }
}

}  // namespace
}  // namespace ringside::components
