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
    // No call of the handler begins any more, and none is under way in another thread. From the
    // handler itself it is the last one that this ends, when it returns.
    ~OverflowWatch();

    // What the signal handler works with. It may be there longer than the watch.
    struct Work;

  private:
    OverflowWatch(int fd, pid_t tid, std::unique_ptr<Work> work);

    int fd_;
    pid_t tid_;  // signals come to this thread alone
    std::unique_ptr<Work> work_;
};

}  // namespace ringside::perf
