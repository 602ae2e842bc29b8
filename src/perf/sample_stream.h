// What a profiler reads: an event that samples, and the memory its records go to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ringside/result.h>

#include "perf/event_fd.h"
#include "perf/ring_buffer.h"

namespace ringside::perf {

struct SampleStream {
    EventFd event;  // attributes() say how to decode the records
    RingBuffer ring;
};

// `options` carry the period and the sample_type. One stream for each target; a thread that ended
// or a CPU that is gone is left out, and it is an error only if that leaves none.
Result<std::vector<SampleStream>> open_sample_streams(const model::Event& event,
                                                      std::span<const Target> targets,
                                                      const OpenOptions& options,
                                                      std::size_t data_pages);

}  // namespace ringside::perf
