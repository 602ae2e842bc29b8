// A profile of what happens now: samples are counted as the kernel delivers them, and who they
// belong to is read from /proc when a process is seen for the first time.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "model/event.h"
#include "perf/sample_stream.h"
#include "profile/collector.h"

namespace ringside::profile {

struct LiveOptions {
    model::Event event;
    std::uint64_t period = 0;  // of the event, between two samples
    Keep keep{};
    Filter filter{};
};

class LiveProfile {
  public:
    explicit LiveProfile(const LiveOptions& options, base::SysRoot root = base::SysRoot());
    LiveProfile(const LiveProfile&) = delete;
    LiveProfile& operator=(const LiveProfile&) = delete;

    // Begins to sample; again for threads that came later. Targets that are gone are left out.
    Result<void> add(const std::vector<perf::Target>& targets);
    // Counts all samples that are there.
    void collect();
    // Forgets what was counted, but not who is who.
    void begin_interval();

    const Profile& profile() const { return profile_; }

  private:
    void take(const perf::RecordView& record, const perf::SampleLayout& layout);
    // Reads a process' name and mappings; anew if `time_ns` is long after the last time.
    void know(std::uint32_t pid, std::uint32_t tid, std::uint64_t time_ns);
    bool is_mapped(const perf::FullSample& sample) const;

    LiveOptions options_;
    base::SysRoot root_;
    LoadOptions load_options_;
    Profile profile_;
    std::unique_ptr<Collector> collector_;
    std::vector<perf::SampleStream> streams_;
    std::unordered_map<std::uint32_t, std::uint64_t> known_processes_;  // when they were read
    std::set<std::uint32_t> known_threads_;
};

}  // namespace ringside::profile
