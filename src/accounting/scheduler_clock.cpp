#include "accounting/scheduler_clock.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <unistd.h>

#include <ringside/clocks.h>

#include "proc/task.h"

namespace ringside::accounting {

namespace {

// A thread that falls asleep, says when, and ends when it is told to.
class Sleeper {
  public:
    Sleeper() : thread_([this] { sleep(); }) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return tid_ != 0; });
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }
    pid_t tid() const { return tid_; }
    // A moment before it fell asleep.
    std::uint64_t awake_ns() const { return awake_ns_; }

  private:
    void sleep() {
        std::unique_lock lock(mutex_);
        tid_ = ::gettid();
        changed_.notify_all();
        awake_ns_ = real_ns();
        changed_.wait(lock, [this] { return over_; });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    pid_t tid_ = 0;
    std::uint64_t awake_ns_ = 0;
    bool over_ = false;
    std::thread thread_;
};

std::optional<std::uint64_t> asleep_since_ns(const base::SysRoot& root, pid_t tid) {
    constexpr int most_tries = 100;  // it falls asleep a moment after it said so
    for (int i = 0; i < most_tries; ++i) {
        const auto sums = proc::read_sleep_sums(root, tid);
        if (!sums) return std::nullopt;
        if (sums->asleep_since_ns != 0) return sums->asleep_since_ns;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> scheduler_ahead_ns(const base::SysRoot& root) {
    std::optional<std::int64_t> least;
    constexpr int comparisons = 4;  // whatever comes between makes the difference larger
    for (int i = 0; i < comparisons; ++i) {
        const Sleeper sleeper;
        const auto since_ns = asleep_since_ns(root, sleeper.tid());
        if (!since_ns) return least;
        const auto ahead_ns = static_cast<std::int64_t>(*since_ns - sleeper.awake_ns());
        least = std::min(ahead_ns, least.value_or(ahead_ns));
    }
    return least;
}

}  // namespace ringside::accounting
