// How long a machine could run: the clock's time without the time that its process waited for a
// CPU, or that was stolen from all CPUs. A machine on a busy host is slow, not hung.
#pragma once

#include <chrono>
#include <map>

#include <sys/types.h>

namespace ringside::guest {

class ServedTime {
  public:
    explicit ServedTime(pid_t process);
    // Since the construction. What is asked rarely is answered roughly: of two threads that waited,
    // the one that waited longer since the last call counts.
    std::chrono::nanoseconds passed();

  private:
    using Clock = std::chrono::steady_clock;

    std::chrono::nanoseconds waited_for_cpu();
    std::chrono::nanoseconds stolen();

    pid_t process_;
    std::map<pid_t, std::chrono::nanoseconds> waited_;  // each thread's, in all
    std::chrono::nanoseconds stolen_{0};
    Clock::time_point last_;
    std::chrono::nanoseconds passed_{0};
};

}  // namespace ringside::guest
