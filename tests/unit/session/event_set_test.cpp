// Event sets over components that are made up: what the set itself does.
#include <array>
#include <cmath>

#include <gmock/gmock.h>

#include "fake.h"
#include "session/session.h"

namespace ringside::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string_view>;

Reading counted(std::int64_t value) {
    Reading reading;
    reading.value = value;
    reading.enabled_ns = reading.running_ns = 2'000'000'000;
    return reading;
}

class EventSetTest : public ::testing::Test {
  protected:
    EventSetTest() {
        world.readings = {{"instructions", counted(100)},
                          {"cycles", counted(50)},
                          {"none", counted(0)},
                          {"page-faults", counted(30)}};
        other.readings = {{"bytes", counted(7)}, {"calls", counted(3)}};
    }
    Session session() {
        std::vector<ComponentPtr> components;
        components.push_back(std::make_unique<FakeComponent>(world, "a"));
        components.push_back(std::make_unique<FakeComponent>(other, "b"));
        return session_over(std::move(components),
                            base::SysRoot(RINGSIDE_FIXTURES "/machines/bare_intel"));
    }

    FakeWorld world;
    FakeWorld other;
};

TEST_F(EventSetTest, ReadsInTheOrderOfAddingAcrossComponents) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add("cycles"));
    ASSERT_TRUE(set.add(Names{"b:::calls", "instructions", "b:::bytes"}));
    EXPECT_EQ(set.size(), 4u);
    EXPECT_EQ(set.name(1), "b:::calls");
    std::array<std::int64_t, 4> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_THAT(values, ElementsAre(50, 3, 100, 7));
    ASSERT_TRUE(set.remove("b:::calls"));
    std::array<std::int64_t, 3> fewer{};
    ASSERT_TRUE(set.read(fewer));
    EXPECT_THAT(fewer, ElementsAre(50, 100, 7));
    ASSERT_TRUE(set.add("a:::page-faults"));
    ASSERT_TRUE(set.read(values));
    EXPECT_THAT(values, ElementsAre(50, 100, 7, 30));
}

TEST_F(EventSetTest, TheFirstComponentStartsLastAndStopsFirst) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"cycles", "b:::calls"}));
    other.log.clear();
    ASSERT_TRUE(set.start());
    EXPECT_TRUE(set.running());
    EXPECT_FALSE(set.start());
    EXPECT_FALSE(set.add("instructions"));
    EXPECT_FALSE(set.remove("cycles"));
    ASSERT_TRUE(set.stop());
    EXPECT_FALSE(set.stop());
    EXPECT_THAT(world.log, ElementsAre("a start", "a stop"));
    EXPECT_THAT(other.log, ElementsAre("b start", "b stop"));
}

TEST_F(EventSetTest, AStartThatFailsLeavesNothingRunning) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"cycles", "b:::calls"}));
    world.refuses_to_start = true;
    EXPECT_FALSE(set.start());
    EXPECT_FALSE(set.running());
    EXPECT_THAT(other.log, ElementsAre("b start", "b stop"));
}

TEST_F(EventSetTest, AddingIsAllOrNothing) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"cycles", "b:::calls"}));
    world.refuses_to_open = "instructions";
    const auto added = set.add(Names{"b:::bytes", "instructions"});
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().what, "cannot open instructions");
    EXPECT_FALSE(set.add(Names{"b:::bytes", "no-such"}));
    EXPECT_EQ(set.size(), 2u);
    std::array<std::int64_t, 2> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_THAT(values, ElementsAre(50, 3));
    EXPECT_EQ(world.open_counters, 1);
    EXPECT_EQ(other.open_counters, 1);
}

TEST_F(EventSetTest, ErrorsSayWhatIsWrong) {
    auto set = session().event_set();
    EXPECT_FALSE(set.start());
    EXPECT_FALSE(set.remove("cycles"));
    ASSERT_TRUE(set.add("cycles"));
    EXPECT_THAT(set.add("cycles").error().what, HasSubstr("in the set already"));
    EXPECT_THAT(set.add("c:::x").error().hint, HasSubstr("a, b"));
    EXPECT_THAT(set.add("b:::x").error().what, HasSubstr("unknown event: x"));
    EXPECT_FALSE(set.add("seconds"));
    std::array<std::int64_t, 1> values{};
    EXPECT_FALSE(set.read(std::span(values).first(0)));
    EXPECT_THAT(set.on_overflow(0, 10, [](const Overflow&) {}).error().what, HasSubstr("overflow"));
}

TEST_F(EventSetTest, AccumulatesAndResets) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"cycles", "b:::calls"}));
    std::array<std::int64_t, 2> values{1000, 2000};
    ASSERT_TRUE(set.accumulate(values));
    EXPECT_THAT(values, ElementsAre(1050, 2003));
    EXPECT_THAT(world.log, ElementsAre("a reset"));
}

TEST_F(EventSetTest, ReadingsCarryTheVerdictAndItsReason) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"none", "cycles"}));
    const auto readings = set.read();
    ASSERT_TRUE(readings);
    EXPECT_EQ((*readings)[0].state, CounterState::dead);
    EXPECT_EQ((*readings)[1].state, CounterState::ok);
    EXPECT_EQ((*readings)[1].exact, 50);
    EXPECT_EQ(set.explain(0), "made up none");
}

TEST_F(EventSetTest, AMetricCountsWhatItIsMadeOf) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"ipc", "cycles"}));
    const auto readings = set.read();
    ASSERT_TRUE(readings);
    EXPECT_EQ((*readings)[0].exact, 2.0);
    EXPECT_EQ((*readings)[0].value, 2);
    EXPECT_EQ((*readings)[1].value, 50);
    EXPECT_EQ(world.open_counters, 1);  // cycles are shared
    EXPECT_THAT(set.explain(0), HasSubstr("cycles: made up cycles"));
    std::array<std::int64_t, 2> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_THAT(values, ElementsAre(2, 50));
    EXPECT_FALSE(set.on_overflow(0, 10, [](const Overflow&) {}));
}

TEST_F(EventSetTest, AMetricIsNoBetterThanItsWorstPart) {
    world.readings["cycles"].state = CounterState::starved;
    auto set = session().event_set();
    ASSERT_TRUE(set.add("ipc"));
    EXPECT_EQ(set.read().value()[0].state, CounterState::starved);
    world.readings["cycles"] = counted(0);
    world.readings["cycles"].state = CounterState::ok;
    std::array<std::int64_t, 1> value{1};
    ASSERT_TRUE(set.read(value));
    EXPECT_EQ(value[0], 0);
}

TEST_F(EventSetTest, AMetricThatDividesByNothingIsNoNumber) {
    auto session = this->session();
    ASSERT_TRUE(session.define_metrics("odd = page-faults / (cycles - 50)"));
    auto set = session.event_set();
    ASSERT_TRUE(set.add("odd"));
    const auto reading = set.read().value()[0];
    EXPECT_TRUE(std::isnan(reading.exact));
    EXPECT_EQ(reading.state, CounterState::not_scheduled);
}

TEST_F(EventSetTest, ErrorsOfScalingCarryOverIntoMetrics) {
    world.readings["instructions"].scale_error = 30;
    world.readings["cycles"].scale_error = 4;
    auto session = this->session();
    ASSERT_TRUE(session.define_metrics("both = instructions + 10 * cycles"));
    auto set = session.event_set();
    ASSERT_TRUE(set.add("both"));
    EXPECT_EQ(set.read().value()[0].scale_error, 50);
}

TEST_F(EventSetTest, MetricsMayUseMetricsTimeAndOtherComponents) {
    auto session = this->session();
    ASSERT_TRUE(
        session.define_metrics("rate = b:::bytes / seconds ; bytes/s ; how much\n"
                               "odd = ipc * 10 + rate\n"));
    auto set = session.event_set();
    ASSERT_TRUE(set.add("odd"));
    EXPECT_EQ(set.read().value()[0].exact, 2.0 * 10 + 7 / 2.0);
    const auto info = session.find("rate");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->unit, "bytes/s");
    EXPECT_EQ(info->description, "how much");
    EXPECT_EQ(info->formula, "b:::bytes / seconds");
}

TEST_F(EventSetTest, AUsersDefinitionComesFirstAndMayUseTheNameItShadows) {
    auto session = this->session();
    ASSERT_TRUE(session.define_metrics("cycles = cycles * 2"));
    auto set = session.event_set();
    ASSERT_TRUE(set.add("cycles"));
    EXPECT_EQ(set.read().value()[0].value, 100);
}

TEST_F(EventSetTest, DefinitionsInCirclesAreRefused) {
    auto session = this->session();
    ASSERT_TRUE(session.define_metrics("x = y\ny = x"));
    EXPECT_THAT(session.find("x").error().what, HasSubstr("unknown event: x"));
    std::string chain;
    for (int i = 0; i < 20; ++i) {
        chain += "m" + std::to_string(i) + " = m" + std::to_string(i + 1) + "\n";
    }
    ASSERT_TRUE(session.define_metrics(chain + "m20 = cycles"));
    EXPECT_THAT(session.find("m0").error().what, HasSubstr("too deeply"));
    EXPECT_TRUE(session.find("m15"));
}

TEST_F(EventSetTest, TheFirstDefinitionThatCanBeCountedIsTaken) {
    world.readings["branches"] = counted(40);
    world.readings["branch-misses"] = counted(4);
    auto session = this->session();
    EXPECT_EQ(session.find("PAPI_BR_PRC").value().formula, "branches - branch-misses");
    ASSERT_TRUE(session.define_metrics("either = no-such\neither = cycles\neither = instructions"));
    EXPECT_EQ(session.find("either").value().formula, "cycles");
    EXPECT_THAT(session.find("PAPI_L1_DCM").error().what, HasSubstr("L1-dcache-load-misses"));
}

TEST_F(EventSetTest, PresetsThatAreOneEventAreThatEvent) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"PAPI_TOT_INS", "PAPI_TOT_CYC"}));
    std::array<std::int64_t, 2> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_THAT(values, ElementsAre(100, 50));
}

TEST_F(EventSetTest, SessionsListWhatTheyHave) {
    auto session = this->session();
    const auto components = session.components();
    ASSERT_EQ(components.size(), 2u);
    EXPECT_EQ(components[1].name, "b");
    EXPECT_EQ(components[1].reason, "made up");
    EXPECT_EQ(session.events("b").value().front().name, "b:::bytes");
    EXPECT_EQ(session.events("a").value().front().name, "cycles");
    EXPECT_FALSE(session.events("c"));
    std::vector<std::string> names;
    for (const auto& metric : session.metrics()) names.push_back(metric.name);
    EXPECT_THAT(names,
                ElementsAre("ipc", "cpi", "faults_per_second", "PAPI_TOT_CYC", "PAPI_TOT_INS"));
}

TEST_F(EventSetTest, BadDefinitionsChangeNothing) {
    auto session = this->session();
    EXPECT_FALSE(session.define_metrics("good = cycles\nbad = ("));
    EXPECT_FALSE(session.find("good"));
    EXPECT_FALSE(session.load_metrics("/no/such/file"));
}

TEST_F(EventSetTest, ASetOutlivesItsSession) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add("cycles"));
    std::array<std::int64_t, 1> value{};
    EXPECT_TRUE(set.read(value));
    EventSet moved = std::move(set);
    EXPECT_TRUE(moved.read(value));
    EXPECT_EQ(value[0], 50);
}

TEST_F(EventSetTest, IntervalsAreWhatCameSinceTheLast) {
    auto set = session().event_set();
    ASSERT_TRUE(set.add(Names{"instructions", "ipc", "b:::bytes"}));
    ASSERT_TRUE(set.start());
    auto first = set.read_interval();
    ASSERT_TRUE(first);
    EXPECT_EQ((*first)[0].value, 100);
    EXPECT_EQ((*first)[1].exact, 2.0);
    world.readings["instructions"] = counted(160);
    world.readings["cycles"] = counted(70);
    auto second = set.read_interval();
    ASSERT_TRUE(second);
    EXPECT_EQ((*second)[0].value, 60);
    EXPECT_EQ((*second)[1].exact, 3.0);
    EXPECT_EQ((*second)[2].value, 0);
    const auto whole = set.read();
    ASSERT_TRUE(whole);
    EXPECT_EQ((*whole)[0].value, 160);
    ASSERT_TRUE(set.stop());
    ASSERT_TRUE(set.start());
    EXPECT_EQ((*set.read_interval())[0].value, 160);
}

}  // namespace
}  // namespace ringside::session
