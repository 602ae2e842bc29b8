// Calls a function, in a signal handler on the thread that overflowed, each time an event has
// counted another period. Signals belong to the process, so the table behind this is one too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <linux/perf_event.h>
#include <sys/types.h>

#include <ringside/result.h>

#include "perf/event_fd.h"
#include "perf/ring_buffer.h"

namespace ringside::perf {

class OverflowWatch {
  public:
    // `context` is the signal's ucontext_t.
    using Handler = std::function<void(std::uint64_t ip, void* context)>;

    // What the event must be opened with, besides a period and wakes_each.
    static constexpr std::uint64_t sample_type = PERF_SAMPLE_IP;

    // `tid` is the thread that the event counts, one of ours. The event must live as long as this.
    static Result<std::unique_ptr<OverflowWatch>> attach(const EventFd& event, pid_t tid,
                                                         Handler handler);
    OverflowWatch(const OverflowWatch&) = delete;
    OverflowWatch& operator=(const OverflowWatch&) = delete;
    // Waits for a call that is under way in another thread; so not from the handler itself.
    ~OverflowWatch();

    // Called by the signal handler only.
    void deliver(void* context);

  private:
    OverflowWatch(int fd, RingBuffer ring, Handler handler)
        : fd_(fd), ring_(std::move(ring)), handler_(std::move(handler)) {}

    int fd_;
    RingBuffer ring_;
    Handler handler_;
};

}  // namespace ringside::perf
