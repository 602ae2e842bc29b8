// A child that is forked has the forking thread alone, and memory as the other threads left it: a
// lock that one of them held is never released there. So a fork waits until no other thread is
// inside of the library, and whoever wants to go inside meanwhile waits for the fork.
// (vfork(), posix_spawn() and _Fork() ask nobody; their children are to execute another program.)
#pragma once

#include <atomic>
#include <mutex>

namespace ringside::base {

// While one lives in a thread, no other thread of the process forks. May be nested. Not for what
// waits for the program: a thread that may fork, or one of ours that would come inside.
class NoFork {
  public:
    NoFork();
    ~NoFork();
    NoFork(const NoFork&) = delete;
    NoFork& operator=(const NoFork&) = delete;
};

// Every lock in a program that is measured is one of these: a child finds it open, unless the
// thread that forked holds it, and what it guards whole.
class Mutex {
  public:
    void lock();
    void unlock();

  private:
    std::mutex mutex_;
};

// How many forks lie between this process and the first. (QEMU 7.2 does not know the advice by
// which the kernel empties a page in a child, so libc has to say it.)
extern std::atomic<unsigned> forks;

// Of the process that made it: a child has another one's counters.
class OwnProcess {
  public:
    bool is_this() const { return forks.load(std::memory_order_relaxed) == made_in_; }

  private:
    unsigned made_in_ = forks;
};

}  // namespace ringside::base
