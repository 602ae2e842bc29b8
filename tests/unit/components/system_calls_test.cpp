// How many system calls an operation makes, counted by somebody who sees all of them: a tracer.
#include <array>
#include <csignal>
#include <functional>
#include <optional>

#include <sys/ptrace.h>
#include <sys/wait.h>

#include "live.h"

namespace ringside::components {
namespace {

using Names = std::vector<std::string_view>;

// Where the traced child says that what is counted begins and ends.
void mark() {
    ::raise(SIGSTOP);
}

// The child's system calls between its first and second SIGSTOP; -1 if it ended before.
int calls_between_marks(pid_t child) {
    int status = 0;
    int marks = 0;
    int stops = 0;
    while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        const int signal = WSTOPSIG(status);
        if (signal == SIGSTOP && ++marks == 2) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return stops / 2;  // one stop at the entry, one at the exit
        }
        if (marks == 1 && signal == SIGTRAP) ++stops;
        if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) break;
    }
    return -1;
}

// Of `body` alone, run in a child after `prepare`.
int calls_of(const std::function<void()>& prepare, const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
        prepare();
        mark();
        body();
        mark();
        ::_exit(0);
    }
    return calls_between_marks(child);
}

class SystemCalls : public ::testing::TestWithParam<Names> {
  protected:
    // Calls of `body` on a set that the child made, without what the marks themselves cost.
    static int cost_of(const std::function<void(EventSet&)>& prepare,
                       const std::function<void(EventSet&)>& body) {
        std::optional<EventSet> set;
        const auto make = [&] {
            set = Session::open().event_set();
            if (!set->add(GetParam())) ::_exit(1);
            prepare(*set);
        };
        return calls_of(make, [&] { body(*set); }) - calls_of(make, [] {});
    }

    static void nothing(EventSet&) {}
    static void start(EventSet& set) { static_cast<void>(set.start()); }
    static void stop(EventSet& set) { static_cast<void>(set.stop()); }
    static void read(EventSet& set) {
        std::array<std::int64_t, 8> values{};
        static_cast<void>(set.read(values));
    }
    static void read_often(EventSet& set) {
        for (int i = 0; i < 100; ++i) read(set);
    }
};

TEST_P(SystemCalls, AreOneForEachOperation) {
    {
        auto set = Session::open().event_set();
        ADD_OR_SKIP(set, GetParam());
    }
    if (calls_of([] {}, [] {}) < 0) GTEST_SKIP() << "tracing is not permitted";
    EXPECT_EQ(cost_of(nothing, start), 1);
    EXPECT_EQ(cost_of(start, read), 1);
    EXPECT_EQ(cost_of(start, read_often), 100);
    EXPECT_EQ(cost_of(start, stop), 1);
    EXPECT_EQ(cost_of(start, [](EventSet& set) { static_cast<void>(set.reset()); }), 1);
    const auto measure = [](EventSet& set) {
        start(set);
        stop(set);
        read(set);
    };
    EXPECT_EQ(cost_of(measure, measure), 3);
}

INSTANTIATE_TEST_SUITE_P(, SystemCalls,
                         ::testing::Values(Names{"task-clock:u"},
                                           Names{"task-clock:u", "page-faults:u", "minor-faults:u",
                                                 "cpu-clock:u"}));

// On machines with counters that may be read from user space no call at all.
TEST_F(SystemCalls, AreNoneWhereRegistersAreRead) {
    const UserAccess access;
    auto set = Session::open().event_set();
    const auto added = set.add("instructions:u");
    if (!added) GTEST_SKIP() << why(added);
    ASSERT_TRUE(set.start());
    ASSERT_TRUE(set.read());
    if (set.explain(0).find("from its register") == std::string::npos) {
        GTEST_SKIP() << set.explain(0);
    }
    std::optional<EventSet> own;
    const auto make = [&] {
        own = Session::open().event_set();
        if (!own->add("instructions:u") || !own->start()) ::_exit(1);
    };
    const auto read_own = [&] { read_often(*own); };
    EXPECT_EQ(calls_of(make, read_own) - calls_of(make, [] {}), 0);
}

}  // namespace
}  // namespace ringside::components
