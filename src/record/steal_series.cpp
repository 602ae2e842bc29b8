#include "record/steal_series.h"

#include "perf/record_encoder.h"

namespace ringside::record {

StealSeries::StealSeries(const base::SysRoot& root, const std::vector<CpuBuffer>& buffers) {
    for (const auto& buffer : buffers) event_ids_[buffer.cpu] = buffer.tracking_id;
    if (auto meter = clocks::make_proc_stat_meter(root)) meter_ = std::move(*meter);
}

void StealSeries::read(std::uint64_t time_ns, base::ByteWriter& out) {
    if (!meter_) return;
    const auto cpus = meter_->read();
    if (!cpus) return;
    std::uint64_t total = 0;
    for (const auto& cpu : *cpus) {
        const auto id = event_ids_.find(cpu.cpu);
        if (id == event_ids_.end() || !cpu.steal.ns) continue;
        perf::RecordStamp stamp;
        stamp.pid = stamp.tid = UINT32_MAX;  // of no process
        stamp.time_ns = time_ns;
        stamp.cpu = static_cast<std::uint32_t>(cpu.cpu);
        stamp.event_id = id->second;
        perf::encode_reading(out, *cpu.steal.ns, stamp);
        total += *cpu.steal.ns;
    }
    total_ns_ = total;
}

}  // namespace ringside::record
