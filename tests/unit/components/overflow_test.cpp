// Overflow handlers on live software events.
#include <array>
#include <atomic>
#include <thread>

#include "../../thread_sanitizer.h"
#include "live.h"

namespace ringside::components {
namespace {

using Names = std::vector<std::string_view>;

TEST(Overflow, CallsOnceForEveryPeriod) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "page-faults:u");
    std::atomic<int> calls{0};
    std::atomic<std::uint64_t> bits{0};
    std::atomic<bool> wrong_thread{false};
    const auto self = ::gettid();
    const auto done = set.on_overflow(0, 10, [&](const Overflow& overflow) {
        ++calls;
        bits |= overflow.events;
        if (::gettid() != self || overflow.context == nullptr || overflow.ip == 0) {
            wrong_thread = true;
        }
    });
    ASSERT_TRUE(done) << why(done);
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    std::vector<std::int64_t> values(1);
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(calls, values[0] / 10);
    EXPECT_GE(calls, 10);
    EXPECT_EQ(bits, 1u);
    EXPECT_FALSE(wrong_thread);
    ASSERT_TRUE(set.on_overflow(0, 0, {}));
    const int before = calls;
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    EXPECT_EQ(calls, before);
}

TEST(Overflow, SeveralEventsAreToldApart) {
    if (sanitizer::thread) {
        GTEST_SKIP() << "ThreadSanitizer keeps back signals, and of several only one";
    }
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"task-clock:u", "page-faults:u", "minor-faults:u"});
    std::array<std::atomic<int>, 3> calls{};
    const auto count = [&](const Overflow& overflow) {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if ((overflow.events >> i & 1) != 0) ++calls[i];
        }
    };
    ASSERT_TRUE(set.on_overflow(1, 10, count));
    ASSERT_TRUE(set.on_overflow(2, 25, count));
    ASSERT_TRUE(set.start());
    touch_pages(200);
    ASSERT_TRUE(set.stop());
    std::vector<std::int64_t> values(3);
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(calls[0], 0);
    EXPECT_EQ(calls[1], values[1] / 10);
    EXPECT_EQ(calls[2], values[2] / 25);
}

TEST(Overflow, HandlersSurviveAddingAndRemoving) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"task-clock:u", "page-faults:u"});
    std::atomic<std::uint64_t> bits{0};
    ASSERT_TRUE(set.on_overflow(1, 10, [&](const Overflow& seen) { bits = seen.events; }));
    ASSERT_TRUE(set.add("minor-faults:u"));
    ASSERT_TRUE(set.start());
    touch_pages(50);
    ASSERT_TRUE(set.stop());
    EXPECT_EQ(bits, 2u);
    ASSERT_TRUE(set.remove("task-clock:u"));
    ASSERT_TRUE(set.start());
    touch_pages(50);
    ASSERT_TRUE(set.stop());
    EXPECT_EQ(bits, 1u);
}

TEST(Overflow, ThePeriodChangesBetweenRuns) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "page-faults:u");
    std::atomic<int> calls{0};
    const auto count = [&](const Overflow&) { ++calls; };
    ASSERT_TRUE(set.on_overflow(0, 1'000'000, count));
    ASSERT_TRUE(set.start());
    touch_pages(100);
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(set.on_overflow(0, 5, count));
    ASSERT_TRUE(set.stop());
    ASSERT_TRUE(set.on_overflow(0, 5, count));
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    EXPECT_GE(calls, 20);
}

TEST(Overflow, TimersInterruptABusyThread) {
    for (const std::string_view name : {"task-clock:u", "cpu-clock:u"}) {
        const auto session = Session::open();
        auto set = session.event_set();
        ADD_OR_SKIP(set, name);
        std::atomic<int> calls{0};
        ASSERT_TRUE(set.on_overflow(0, 1'000'000, [&](const Overflow&) { ++calls; }));
        ASSERT_TRUE(set.start());
        while (calls < 5) {  // busy: a timer that never comes is a test that never ends
        }
        ASSERT_TRUE(set.stop());
        std::vector<std::int64_t> values(1);
        ASSERT_TRUE(set.read(values));
        EXPECT_GE(values[0], 5 * 1'000'000);
    }
}

TEST(Overflow, EveryThreadIsCalledForItsOwn) {
    const auto session = Session::open();
    {
        auto probe = session.event_set();
        ADD_OR_SKIP(probe, "page-faults:u");
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            auto set = session.event_set();
            const auto self = ::gettid();
            int calls = 0;
            const auto count = [&](const Overflow&) {
                if (::gettid() != self) ++wrong;
                ++calls;
            };
            std::vector<std::int64_t> values(1);
            if (!set.add("page-faults:u") || !set.on_overflow(0, 10, count) || !set.start()) {
                ++wrong;
                return;
            }
            touch_pages(200);
            if (!set.stop() || !set.read(values) || calls != values[0] / 10) ++wrong;
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Overflow, RefusesWhatItCannotDeliver) {
    const auto session = Session::open();
    SetOptions options;
    options.inherit = true;
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, "page-faults:u");
    EXPECT_FALSE(set.on_overflow(0, 10, [](const Overflow&) {}));
    EXPECT_FALSE(set.on_overflow(1, 10, [](const Overflow&) {}));
    EXPECT_FALSE(set.on_overflow(0, 10, {}));
    EXPECT_TRUE(set.start());  // as it was
}

}  // namespace
}  // namespace ringside::components
