// Records of our own making, as the kernel would have written them: what was there before the
// recording began, readings of counters, samples that were summed up elsewhere. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <linux/perf_event.h>

#include "base/byte_writer.h"

namespace ringside::perf {

// What every record of a recording says at its end (sample_id_all), and what its samples begin
// with.
constexpr std::uint64_t stamp_fields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

struct RecordStamp {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;  // 0: before everything else
    std::uint32_t cpu = 0;
    std::uint64_t event_id = 0;  // 0: no event's
};

struct MapRecord {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint64_t time_ns = 0;  // 0: before everything else
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::uint64_t file_offset = 0;
    std::string file;
    // The rest is for mappings of processes.
    std::uint32_t protection = 0;  // PROT_*
    std::uint32_t flags = 0;       // MAP_*
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint64_t inode = 0;
    std::string build_id;  // hexadecimal; takes the place of device and inode
};

struct SampleRecord {
    RecordStamp stamp;
    std::uint64_t period = 0;
    bool in_kernel = false;
    std::span<const std::uint64_t> chain;  // innermost first, with marks
};
// What SampleRecord carries.
constexpr std::uint64_t made_sample_type =
    stamp_fields | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

// A build-id's bytes, at most as many as perf keeps (20).
constexpr std::size_t longest_build_id = 20;
std::string raw_build_id(std::string_view hexadecimal);

void encode_kernel_map(base::ByteWriter& out, const MapRecord& map, std::uint16_t misc);
void encode_process_map(base::ByteWriter& out, const MapRecord& map);
void encode_comm(base::ByteWriter& out, std::uint32_t pid, std::uint32_t tid, std::string_view comm,
                 std::uint64_t time_ns = 0);
// The process executes another program from then on.
void encode_exec(base::ByteWriter& out, std::uint32_t pid, std::uint64_t time_ns,
                 std::string_view comm);
// A counter's value: PERF_RECORD_READ with a read_format of 0.
void encode_reading(base::ByteWriter& out, std::uint64_t value, const RecordStamp& stamp);
void encode_lost_samples(base::ByteWriter& out, std::uint64_t count, const RecordStamp& stamp);
void encode_sample(base::ByteWriter& out, const SampleRecord& sample);
// Which ids stand for CPUs of guests (GuestPlace); before the first record that has one of them.
struct GuestId {
    std::uint64_t id = 0;
    std::uint32_t event = 0;
    std::uint32_t machine_pid = 0;
    std::uint32_t vcpu = 0;
};
void encode_id_index(base::ByteWriter& out, std::span<const GuestId> ids);
// Everything older than what was written before the last mark has been written by now.
void encode_finished_round(base::ByteWriter& out);

}  // namespace ringside::perf
