#include "guest/served_time.h"

#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::guest {
namespace {

using namespace std::chrono_literals;

// Processes that spin on this thread's CPU until they are killed.
class Crowd {
  public:
    explicit Crowd(int count) {
        for (int i = 0; i < count; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                while (true) asm volatile("");
            }
            children_.push_back(child);
        }
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    ~Crowd() {
        for (const pid_t child : children_) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
    }
    pid_t first() const { return children_.front(); }

  private:
    std::vector<pid_t> children_;
};

TEST(ServedTime, IsNotMoreThanTheClocks) {
    const auto begin = std::chrono::steady_clock::now();
    ServedTime served(::getpid());
    ::usleep(20'000);
    const auto passed = served.passed();
    EXPECT_GE(passed, 0ns);
    EXPECT_LE(passed, std::chrono::steady_clock::now() - begin);
    EXPECT_GE(served.passed(), passed);
}

TEST(ServedTime, LeavesOutWhatAProcessWaitedForItsCpu) {
    if (::access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "no /proc/PID/schedstat";
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const Crowd crowd(4);
    // Only the children share the CPU: we look on from wherever there is room.
    ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
    ServedTime served(crowd.first());
    const auto begin = std::chrono::steady_clock::now();
    ::usleep(400'000);
    const auto passed = served.passed();
    // Four share one CPU evenly; half is far above what any of them was given.
    EXPECT_LT(passed, (std::chrono::steady_clock::now() - begin) / 2);
}

TEST(ServedTime, OfAProcessThatIsGoneIsTheClocks) {
    ServedTime served(0x7ffffff0);
    ::usleep(1000);
    EXPECT_GT(served.passed() + 1s, 1ms);
}

}  // namespace
}  // namespace ringside::guest
