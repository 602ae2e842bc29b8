// How many forks lie between this process and the first. QEMU 7.2 does not know the advice by which
// the kernel empties a page in a child, so libc has to say it.
#pragma once

#include <atomic>

#include <pthread.h>

namespace ringside::components::soft {

inline std::atomic<unsigned>& forks() {
    static std::atomic<unsigned> count = 0;
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++count; });
    static_cast<void>(registered);
    return count;
}

// Of the process that made it: a child has another one's counters.
class OwnProcess {
  public:
    bool is_this() const { return forks_.load(std::memory_order_relaxed) == made_in_; }

  private:
    const std::atomic<unsigned>& forks_ = forks();
    unsigned made_in_ = forks_;
};

}  // namespace ringside::components::soft
