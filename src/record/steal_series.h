// How much of each CPU was stolen so far, again and again: readings that lie between the samples,
// so that a reader can tell a slow stretch from a stolen one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/byte_writer.h"
#include "base/sys_root.h"
#include "clocks/cpu_steal.h"
#include "record/buffers.h"

namespace ringside::record {

class StealSeries {
  public:
    StealSeries(const base::SysRoot& root, const std::vector<CpuBuffer>& buffers);

    // "proc_stat", or "none" where this machine does not say.
    std::string_view source() const { return meter_ ? "proc_stat" : "none"; }
    // A reading for each recorded CPU, in nanoseconds since this object was made.
    void read(std::uint64_t time_ns, base::ByteWriter& out);
    // As the last reading had it.
    std::optional<std::uint64_t> total_ns() const { return total_ns_; }

  private:
    clocks::CpuStealMeterPtr meter_;
    std::map<int, std::uint64_t> event_ids_;  // by CPU
    std::optional<std::uint64_t> total_ns_;
};

}  // namespace ringside::record
