// What a record says, decoded by the attributes its event was opened with. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "perf/ring_buffer.h"

namespace ringside::perf {

// The fields that PERF_SAMPLE_{IP,TID,TIME,CPU,PERIOD,READ} select; others are not decoded here.
struct Sample {
    std::uint64_t ip = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;
    std::uint32_t cpu = 0;
    std::uint64_t period = 0;
    std::uint64_t count = 0;  // of the event when the sample was taken (PERF_SAMPLE_READ)
    bool in_kernel = false;
};

// The thread went on or off a CPU. pid, tid, time and cpu come from sample_id_all.
struct SwitchRecord {
    bool out = false;
    bool preempted = false;  // switched out while it could still run
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;
    std::uint32_t cpu = 0;
};

// A thread began or ended.
struct TaskRecord {
    bool ended = false;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint32_t parent_tid = 0;  // who made it
    std::uint64_t time_ns = 0;
};

// nullopt if the record is of another type or cut short.
std::optional<Sample> decode_sample(const RecordView& record, std::uint64_t sample_type);
std::optional<SwitchRecord> decode_switch(const RecordView& record, std::uint64_t sample_type);
std::optional<TaskRecord> decode_task(const RecordView& record);
// How many records the kernel dropped here.
std::optional<std::uint64_t> decode_lost(const RecordView& record);

}  // namespace ringside::perf
