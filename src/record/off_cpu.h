// Waits as events of a recording: one event for each reason, whose samples weigh nanoseconds. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_writer.h"
#include "bpf/offcpu_tracer.h"
#include "perf/data_writer.h"
#include "record/recorder.h"

namespace ringside::record {

// By OffCpuKind: "off-cpu:sleeping" to "off-cpu:waiting", and "stolen".
std::vector<perf::WrittenEvent> off_cpu_events();
void encode_off_cpu(const bpf::OffCpuProfile& profile, std::uint64_t time_ns,
                    base::ByteWriter& out);
std::vector<Waited> sum_waits(const bpf::OffCpuProfile& profile);

}  // namespace ringside::record
