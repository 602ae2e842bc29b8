// From the records that are no samples to a World. They come in file order, buffer by buffer, and
// are replayed in the order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perf/data_file.h"
#include "profile/world.h"

namespace ringside::profile {

class SideBand {
  public:
    void take(const perf::DataFile& file, const perf::DataRecord& record);
    // Call once, after the last record.
    void replay(World& world);
    // How many samples the kernel dropped, by event.
    const std::vector<std::uint64_t>& lost() const { return lost_; }

  private:
    struct Change {
        std::uint64_t time_ns = 0;
        std::uint64_t position = 0;
        std::function<void(World&)> apply;
    };

    // `machine` is 0 for the host, else the VMM's pid.
    void take_map(const perf::DataRecord& record, base::FieldCursor cursor, std::uint64_t time_ns,
                  std::uint32_t machine);
    void take_comm(const perf::DataRecord& record, base::FieldCursor cursor, std::uint64_t time_ns,
                   std::uint32_t machine);
    void take_fork(const perf::DataRecord& record, base::FieldCursor cursor, std::uint64_t time_ns,
                   std::uint32_t machine);
    void take_cgroup(const perf::DataRecord& record, base::FieldCursor cursor,
                     std::uint64_t time_ns);
    void take_kernel_symbol(const perf::DataRecord& record, base::FieldCursor cursor,
                            std::uint64_t time_ns, std::uint32_t machine);
    void add_lost(std::size_t event, std::uint64_t count);

    std::vector<Change> changes_;
    std::vector<std::uint64_t> lost_;
    std::set<std::uint32_t> machines_{0};
};

}  // namespace ringside::profile
