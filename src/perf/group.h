// Events that are on the PMU together or not at all, switched and read by one system call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include <ringside/result.h>

#include "perf/event_fd.h"

namespace ringside::perf {

struct GroupMember {
    model::Event event;
    std::uint64_t sample_period = 0;  // 0: counts only
    std::uint64_t sample_type = 0;
    bool lend_register = false;  // arm64 wants to be asked for user-space reads: perf/user_read.h
};

struct GroupOptions {
    bool pinned = false;  // on counters always, or in error
    bool inherit = false;
    bool inherit_thread = false;
    bool enable_on_exec = false;
};

// As the kernel keeps them since the opening: never reset, so that who counts from a moment on
// takes off what stood there. Valid until the group's next read.
struct GroupCount {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    const std::uint64_t* values = nullptr;  // one for each member, in their order
    // False: the kernel put the pinned group into its error state, because not all of it got onto
    // counters; then the rest is as it was before.
    bool on_counters = true;
};

class Group {
  public:
    // All of `members`, at least one, or none; the first leads. Counts from enable() on.
    static Result<Group> open(std::span<const GroupMember> members, const Target& target,
                              const GroupOptions& options = {});

    // One ioctl: the members follow their leader.
    Result<void> enable() const { return leader().enable(); }
    Result<void> disable() const { return leader().disable(); }
    // One read(), no allocation; this is what a measurement costs, so that it is lean. False if
    // there is anything to say about the counts: then read() says it. Otherwise last() has them.
    bool read_plain() { return read_words() == static_cast<long>(bytes_); }
    // False if the kernel failed: then read_error() tells.
    bool read(GroupCount& count) {
        const long got = read_words();
        if (got == static_cast<long>(bytes_)) [[likely]] {
            count = last();
            return true;
        }
        if (got > 0) return read_apart(count);
        count = last(false);
        return got == 0;
    }
    // Right after a read that failed.
    static Error read_error();
    // What the last read gave.
    GroupCount last(bool on_counters = true) const {
        return {words_[1], words_[2], &words_[words_before], on_counters};
    }

    std::size_t size() const { return events_.size(); }
    const EventFd& event(std::size_t member) const { return events_[member]; }

  private:
    explicit Group(std::vector<EventFd> events)
        : events_(std::move(events)),
          words_(words_before + events_.size()),
          bytes_(words_.size() * sizeof words_[0]),
          leader_fd_(leader().fd()) {}
    const EventFd& leader() const { return events_.front(); }
    // Not read(): where the io interposer is part of the program, that is the program's I/O.
    long read_words() { return ::syscall(SYS_read, leader_fd_, words_.data(), bytes_); }
    bool read_apart(GroupCount& count);

    // PERF_FORMAT_GROUP with both times: number of members, enabled, running, then the values.
    static constexpr std::size_t words_before = 3;

    std::vector<EventFd> events_;
    std::vector<std::uint64_t> words_;
    std::size_t bytes_;
    int leader_fd_;
};

}  // namespace ringside::perf
