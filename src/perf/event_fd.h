// One perf event of the kernel: opened, switched on and off, read. Everything else in this room,
// and every counter in Ringside, goes through here.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>
#include <sys/types.h>

#include <ringside/result.h>
#include <ringside/trust.h>

#include "base/fd.h"
#include "model/event.h"

namespace ringside::perf {

// What is measured: a thread (0 is the caller) wherever it runs, or a CPU (pid -1, cpu >= 0), there
// perhaps only what runs in a cgroup.
struct Target {
    pid_t pid = 0;
    int cpu = -1;
    int cgroup_fd = -1;  // the cgroup's folder, open; then pid does not matter
};

struct OpenOptions {
    bool disabled = true;
    bool enable_on_exec = false;
    bool inherit = false;         // threads and children made after the opening count too
    bool inherit_thread = false;  // with inherit: the threads only
    bool pinned = false;          // on a counter always, or in error
    bool switch_records = false;  // PERF_RECORD_SWITCH in the ring buffer
    bool group_read = false;      // read() of the leader gives the whole group: perf/group.h
    bool wakes_each = false;      // poll() and signals report every sample, not every few pages
    bool task_records = false;    // PERF_RECORD_FORK and _EXIT, with times of CLOCK_MONOTONIC
    std::uint64_t sample_period = 0;
    std::uint64_t sample_type = 0;  // PERF_SAMPLE_*
    std::uint64_t config1_extra = 0;
};

struct Count {
    std::uint64_t value = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
};

class EventFd {
  public:
    // Fails with the kernel's errno and a hint; state_of() turns that into a verdict. `leader`
    // makes this a member of its group.
    static Result<EventFd> open(const model::Event& event, const Target& target,
                                const OpenOptions& options = {}, const EventFd* leader = nullptr);
    // With attributes of the caller's own making; `name` is for the error.
    static Result<EventFd> open(const perf_event_attr& attributes, const Target& target,
                                const std::string& name, const EventFd* leader = nullptr);

    // On the event alone. Fails only if the kernel does.
    Result<void> enable() const;
    Result<void> disable() const;
    Result<void> reset() const;
    // Of a tracepoint: only those that event.filter lets through, if it has one.
    Result<void> set_filter(const model::Event& event) const;
    // Its records go into the ring buffer of another event, which counts on the same CPU.
    Result<void> write_into(int other_fd) const;
    // What its records carry to name it.
    Result<std::uint64_t> id() const;

    // nullopt: the kernel put a pinned event into its error state, because no counter was free.
    Result<std::optional<Count>> read() const;

    int fd() const { return fd_.get(); }
    // The attributes it was opened with, which its records must be decoded by.
    const perf_event_attr& attributes() const { return attributes_; }

  private:
    EventFd(base::Fd fd, const perf_event_attr& attributes)
        : fd_(std::move(fd)), attributes_(attributes) {}

    base::Fd fd_;
    perf_event_attr attributes_{};
};

// What the event itself asks of the kernel; how and when to count is left to the caller.
perf_event_attr attributes_of(const model::Event& event);

// absent, not_permitted or not_scheduled: why the kernel would not open an event.
CounterState state_of(const Error& open_error);

}  // namespace ringside::perf
