#include "perf/sample_stream.h"

#include <cerrno>

#include "base/error.h"

namespace ringside::perf {

Result<std::vector<SampleStream>> open_sample_streams(const model::Event& event,
                                                      std::span<const Target> targets,
                                                      const OpenOptions& options,
                                                      std::size_t data_pages) {
    std::vector<SampleStream> streams;
    Error last = base::fail(ErrorCode::bad_input, "nothing to sample " + event.name + " on");
    for (const auto& target : targets) {
        auto opened = EventFd::open(event, target, options);
        if (!opened) {
            last = opened.error();
            if (last.sys_errno == ESRCH || last.sys_errno == ENODEV) continue;
            return last;
        }
        auto ring = RingBuffer::map(*opened, data_pages);
        if (!ring) return ring.error();
        streams.push_back({std::move(*opened), std::move(*ring)});
    }
    if (streams.empty()) return last;
    return streams;
}

}  // namespace ringside::perf
