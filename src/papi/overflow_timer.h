// Overflow without an interrupt: a timer of the thread's own looks at the counters now and then.
#pragma once

#include <cstdint>
#include <ctime>

namespace ringside::papi {

class Set;

class OverflowTimer {
  public:
    OverflowTimer() = default;
    OverflowTimer(const OverflowTimer&) = delete;
    OverflowTimer& operator=(const OverflowTimer&) = delete;
    ~OverflowTimer() { stop(); }

    // In the calling thread, every `ns` of the time that interval timer `number` measures
    // (ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF), by `signal`. PAPI code.
    int start(Set& set, int number, int signal, int ns);
    void stop();

    // Of this start, 0 while it is stopped. Its signals carry it.
    std::uintptr_t number() const { return number_; }

  private:
    std::uintptr_t number_ = 0;
    timer_t timer_{};
};

}  // namespace ringside::papi
