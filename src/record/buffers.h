// The open events of a recording and the memory their records go to: one ring buffer for each CPU,
// whatever the number of events, threads and children.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "perf/data_writer.h"
#include "perf/event_fd.h"
#include "perf/ring_buffer.h"
#include "record/settings.h"

namespace ringside::record {

struct CpuBuffer {
    int cpu = 0;
    perf::RingBuffer ring;
    int fd = -1;  // to wait on
    std::uint64_t tracking_id = 0;
};

class Buffers {
  public:
    // Opens everything, disabled. What could not be had as it was asked for (no PMU, no rights) and
    // what is recorded in its place goes into `notes`, a sentence each.
    static Result<Buffers> open(const Settings& settings, const std::vector<int>& online_cpus,
                                std::vector<std::string>& notes);

    // What is mapped and forked is reported from here on.
    Result<void> enable_tracking() const;
    Result<void> enable_sampling() const;
    void disable() const;

    std::vector<CpuBuffer>& rings() { return rings_; }
    // The sampled events, then the one that tracks.
    const std::vector<perf::WrittenEvent>& events() const { return events_; }
    // Samples that the kernel had no room for, by event; fewer than events() on kernels before 6.0.
    std::vector<std::uint64_t> lost() const;
    // There are too many threads to open events for each: whole CPUs are sampled, and the samples
    // of others are for the caller to leave out.
    bool of_all_processes() const { return of_all_processes_; }

  private:
    class Opening;

    std::vector<perf::WrittenEvent> events_;
    std::vector<std::vector<perf::EventFd>> fds_;  // by event
    std::vector<CpuBuffer> rings_;
    std::uint64_t bytes_each_ = 0;
    bool of_all_processes_ = false;
};

}  // namespace ringside::record
