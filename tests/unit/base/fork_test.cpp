// Forks beside threads that are inside of the library.
#include "base/fork.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::base {
namespace {

// What a child that runs `check` ends with; -1 if it had to be killed.
template <typename Check>
int in_child(const Check& check) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);  // a child that waits for a lock waits forever
        ::_exit(check() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Threads that change two numbers together, over and over.
class Busy {
  public:
    Busy() {
        for (auto& thread : threads_) thread = std::thread([this] { change(); });
        while (rounds_.load() < 100) std::this_thread::yield();
    }
    ~Busy() {
        over_ = true;
        for (auto& thread : threads_) thread.join();
    }
    bool is_whole() {
        const std::lock_guard lock(mutex_);
        return first_ == second_;
    }

  private:
    void change() {
        while (!over_.load()) {
            const std::lock_guard lock(mutex_);
            ++first_;
            for (int i = 0; i < 100; ++i) asm volatile("" : : "r"(i));
            ++second_;
            ++rounds_;
        }
    }

    Mutex mutex_;
    unsigned first_ = 0;
    unsigned second_ = 0;
    std::atomic<unsigned> rounds_{0};
    std::atomic<bool> over_{false};
    std::thread threads_[3];
};

TEST(Fork, AChildFindsLocksOpenAndWhatTheyGuardWhole) {
    Busy busy;
    for (int i = 0; i < 300; ++i) ASSERT_EQ(in_child([&] { return busy.is_whole(); }), 0) << i;
}

TEST(Fork, WaitsUntilNobodyElseIsInside) {
    std::atomic<bool> inside{false};
    std::atomic<bool> left{false};
    std::thread other([&] {
        const NoFork no_fork;
        inside = true;
        inside.notify_all();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        left = true;
    });
    inside.wait(false);
    EXPECT_EQ(in_child([&] { return left.load(); }), 0);
    other.join();
}

TEST(Fork, AThreadThatIsInsideForksWithoutAWait) {
    std::atomic<int> inside{0};
    const auto fork_inside = [&] {
        const NoFork outer;
        ++inside;
        while (inside.load() < 2) std::this_thread::yield();
        Mutex mutex;
        return in_child([&] {
            const NoFork nested;
            const std::lock_guard lock(mutex);
            return true;
        });
    };
    int others = -1;
    std::thread other([&] { others = fork_inside(); });
    EXPECT_EQ(fork_inside(), 0);
    other.join();
    EXPECT_EQ(others, 0);
}

TEST(Fork, ChildrenForkAndAreCounted) {
    const OwnProcess here;
    const unsigned before = forks;
    EXPECT_EQ(in_child([&] {
                  return !here.is_this() && forks == before + 1 &&
                         in_child([&] { return forks == before + 2; }) == 0;
              }),
              0);
    EXPECT_TRUE(here.is_this());
    EXPECT_EQ(forks, before);
}

TEST(Fork, SeveralThreadsForkAtOnce) {
    Busy busy;
    std::atomic<int> failed{0};
    const auto fork_often = [&] {
        for (int i = 0; i < 100; ++i) failed += in_child([&] { return busy.is_whole(); }) != 0;
    };
    std::thread other(fork_often);
    fork_often();
    other.join();
    EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace ringside::base
