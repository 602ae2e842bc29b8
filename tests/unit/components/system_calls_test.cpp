// How many system calls an operation makes, counted by somebody who sees all of them: a tracer.
#include <csignal>
#include <functional>

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

int calls_of(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
        mark();
        body();
        mark();
        ::_exit(0);
    }
    return calls_between_marks(child);
}

class SystemCalls : public ::testing::TestWithParam<Names> {
  protected:
    SystemCalls() : set(Session::open().event_set()) {}

    // Of `body` alone, without what the marks themselves cost.
    static int cost_of(const std::function<void()>& body) {
        return calls_of(body) - calls_of([] {});
    }

    EventSet set;
};

// The child is another thread than the one that is counted, which makes no difference to the calls.
TEST_P(SystemCalls, AreOneForEachOperation) {
    const auto added = set.add(GetParam());
    if (!added) GTEST_SKIP() << why(added);
    if (calls_of([] {}) < 0) GTEST_SKIP() << "tracing is not permitted";
    std::vector<std::int64_t> values(set.size());
    EXPECT_EQ(cost_of([&] { static_cast<void>(set.start()); }), 1);
    EXPECT_EQ(cost_of([&] { static_cast<void>(set.read(values)); }), 1);
    EXPECT_EQ(cost_of([&] {
                  for (int i = 0; i < 100; ++i) static_cast<void>(set.read(values));
              }),
              100);
    ASSERT_TRUE(set.start());
    EXPECT_EQ(cost_of([&] { static_cast<void>(set.stop()); }), 1);
    EXPECT_EQ(cost_of([&] { static_cast<void>(set.read(values)); }), 1);
    EXPECT_EQ(cost_of([&] { static_cast<void>(set.reset()); }), 1);
}

INSTANTIATE_TEST_SUITE_P(, SystemCalls,
                         ::testing::Values(Names{"task-clock:u"},
                                           Names{"task-clock:u", "page-faults:u", "minor-faults:u",
                                                 "cpu-clock:u"}));

}  // namespace
}  // namespace ringside::components
