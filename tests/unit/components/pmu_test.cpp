// Event sets on a PMU. They skip where there is none; the test VM that runs these tests on
// another architecture has one.
#include <atomic>
#include <cstdlib>

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "live.h"
#include "trust/loops.h"

namespace ringside::components {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string_view>;

constexpr std::uint64_t iterations = 1'000'000;
constexpr auto loop_instructions = static_cast<std::int64_t>(iterations * trust::loop_instructions);

// What interrupts and the calls around the loop may add.
constexpr std::int64_t slack = 20'000;

class PmuTest : public ::testing::Test {
  protected:
    PmuTest() : session(Session::open()) {}
    void SetUp() override {
        const auto found = session.find("instructions:u");
        if (!found) GTEST_SKIP() << found.error().what;
    }

    static std::vector<std::int64_t> values_of(EventSet& set) {
        std::vector<std::int64_t> values(set.size());
        const auto done = set.read(values);
        EXPECT_TRUE(done) << why(done);
        return values;
    }

    Session session;
};

TEST_F(PmuTest, CountsTheKnownLoop) {
    auto set = session.event_set();
    ASSERT_TRUE(set.add(Names{"instructions:u", "task-clock:u", "cycles:u", "PAPI_TOT_INS"}));
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(set.start());
        trust::counted_loop(iterations);
        ASSERT_TRUE(set.stop());
        const auto readings = set.read().value();
        EXPECT_GE(readings[0].value, loop_instructions);
        EXPECT_LT(readings[0].value, loop_instructions + slack);
        EXPECT_GE(readings[2].value,
                  static_cast<std::int64_t>(iterations / trust::loop_iterations_per_cycle));
        EXPECT_GE(readings[3].value, loop_instructions);
        for (const auto& reading : readings) {
            EXPECT_EQ(reading.state, CounterState::ok);
            EXPECT_EQ(reading.running_ratio(), 1.0);
        }
    }
    EXPECT_THAT(set.explain(0), HasSubstr("read by a system call"));
}

TEST_F(PmuTest, JudgingIsNotCounted) {
    auto set = session.event_set();
    ASSERT_TRUE(set.add("instructions:u"));
    ASSERT_TRUE(set.start());
    const auto before = values_of(set);
    const auto readings = set.read().value();
    const auto after = values_of(set);
    EXPECT_EQ(readings[0].state, CounterState::ok);
    EXPECT_LT(after[0] - before[0], 10'000);  // the loop alone is 20 000
}

TEST_F(PmuTest, MoreEventsThanCountersAreRefusedOrTakeTurns) {
    const Names many{"instructions:u",     "cycles:u",     "instructions:uu",     "cycles:uu",
                     "instructions:uuu",   "cycles:uuu",   "instructions:uuuu",   "cycles:uuuu",
                     "instructions:uuuuu", "cycles:uuuuu", "instructions:uuuuuu", "cycles:uuuuuu"};
    auto strict = session.event_set();
    const auto refused = strict.add(many);
    if (refused) GTEST_SKIP() << "this machine has twelve counters";
    EXPECT_EQ(refused.error().code, ErrorCode::busy) << why(refused);
    EXPECT_THAT(refused.error().hint, HasSubstr("multiplex"));
    EXPECT_EQ(strict.size(), 0u);

    SetOptions options;
    options.multiplex = true;
    auto set = session.event_set(options);
    ASSERT_TRUE(set.add(many));
    ASSERT_TRUE(set.start());
    constexpr std::int64_t rounds = 200;
    for (int i = 0; i < rounds; ++i) trust::counted_loop(iterations);
    ASSERT_TRUE(set.stop());
    const auto readings = set.read().value();
    bool took_turns = false;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const Reading& reading = readings[i];
        EXPECT_EQ(reading.state, CounterState::ok) << set.explain(i);
        EXPECT_GT(reading.running_ratio(), 0.0);
        took_turns |= reading.running_ratio() < 1.0;
        if (i % 2 == 1) continue;  // how many cycles the loop takes is not known
        const std::int64_t off = reading.value - rounds * loop_instructions;
        EXPECT_LE(std::abs(off), 3 * reading.scale_error + slack) << set.explain(i);
    }
    EXPECT_TRUE(took_turns);
}

TEST_F(PmuTest, OverflowsComeAsOftenAsThePeriodSays) {
    auto set = session.event_set();
    ASSERT_TRUE(set.add("cycles:u"));
    std::atomic<int> calls{0};
    constexpr std::uint64_t period = 200'000;
    ASSERT_TRUE(set.on_overflow(0, period, [&](const Overflow&) { ++calls; }));
    ASSERT_TRUE(set.start());
    for (int i = 0; i < 20; ++i) trust::counted_loop(iterations);
    ASSERT_TRUE(set.stop());
    const auto due = values_of(set)[0] / static_cast<std::int64_t>(period);
    EXPECT_LE(calls, due);
    EXPECT_GE(calls, due - 2);
    EXPECT_GE(due, 20);
}

TEST_F(PmuTest, AZeroOfAnEventThatIsNotThereIsDead) {
    const auto listed = session.find("br_retired");
    if (listed || !session.find("r21:u")) GTEST_SKIP() << "it counts here";
    EXPECT_THAT(listed.error().what, HasSubstr("does not list it"));
    auto set = session.event_set();
    ASSERT_TRUE(set.add("r21:u"));
    ASSERT_TRUE(set.start());
    trust::counted_loop(iterations);
    ASSERT_TRUE(set.stop());
    const auto reading = set.read().value()[0];
    EXPECT_EQ(reading.value, 0);
    EXPECT_EQ(reading.state, CounterState::dead);
    EXPECT_THAT(set.explain(0), HasSubstr("it reads 0; provoked: 0 counted"));
}

TEST_F(PmuTest, MetricsAreMeasured) {
    auto set = session.event_set();
    ASSERT_TRUE(set.add("ipc"));
    ASSERT_TRUE(set.start());
    trust::counted_loop(iterations);
    ASSERT_TRUE(set.stop());
    const auto reading = set.read().value()[0];
    EXPECT_EQ(reading.state, CounterState::ok);
    EXPECT_GT(reading.exact, 0.01);
    EXPECT_LT(reading.exact, 16.0);
}

TEST_F(PmuTest, RegistersAndTheKernelAgree) {
    const UserAccess access;
    for (const bool multiplex : {false, true}) {
        const auto own = Session::open();
        SetOptions options;
        options.multiplex = multiplex;
        auto set = own.event_set(options);
        ASSERT_TRUE(set.add(Names{"instructions:u", "cycles:u"}));
        ASSERT_TRUE(set.start());
        const auto first = set.read().value();
        if (set.explain(0).find("from its register") == std::string::npos) {
            GTEST_SKIP() << set.explain(0);
        }
        const auto before = values_of(set);
        trust::counted_loop(iterations);
        const auto after = values_of(set);
        EXPECT_GE(after[0] - before[0], loop_instructions);
        EXPECT_LT(after[0] - before[0], loop_instructions + slack);
        const auto last = set.read().value();
        EXPECT_EQ(last[0].state, CounterState::ok);
        EXPECT_GT(last[0].enabled_ns, first[0].enabled_ns);
        EXPECT_EQ(last[0].enabled_ns, last[0].running_ns);
        ASSERT_TRUE(set.stop());
        const auto by_kernel = values_of(set);
        EXPECT_GE(by_kernel[0], last[0].value);
        EXPECT_LT(by_kernel[0] - last[0].value, slack);
    }
}

// The child has the set's variables, but not its pages, nor is it the thread that is counted.
TEST_F(PmuTest, AForkedChildDoesNotTouchRegisters) {
    const UserAccess access;
    const auto own = Session::open();
    auto set = own.event_set();
    ASSERT_TRUE(set.add("instructions:u"));
    ASSERT_TRUE(set.start());
    const pid_t child = ::fork();
    if (child == 0) {
        std::array<std::int64_t, 1> value{};
        ::_exit(set.read(value) && value[0] > 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace ringside::components
