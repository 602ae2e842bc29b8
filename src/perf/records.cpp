#include "perf/records.h"

#include "base/byte_reader.h"

namespace ringside::perf {

namespace {

using base::ByteReader;

struct Pair {
    std::uint32_t first;
    std::uint32_t second;
};

constexpr std::uint64_t decodable = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                                    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                    PERF_SAMPLE_READ;

// Reads one field if `sample_type` selects it. The caller keeps the order of perf_event.h.
template <typename T>
bool field(ByteReader& reader, std::uint64_t sample_type, std::uint64_t bit, T& out) {
    if ((sample_type & bit) == 0) return true;
    const auto value = reader.read<T>();
    if (value) out = *value;
    return value.has_value();
}

}  // namespace

std::optional<Sample> decode_sample(const RecordView& record, std::uint64_t sample_type) {
    if (record.type != PERF_RECORD_SAMPLE || (sample_type & ~decodable) != 0) return std::nullopt;
    ByteReader reader(record.body);
    Sample sample;
    Pair ids{};
    Pair cpu{};
    Count read;
    std::uint64_t unused = 0;
    const bool whole = field(reader, sample_type, PERF_SAMPLE_IDENTIFIER, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_IP, sample.ip) &&
                       field(reader, sample_type, PERF_SAMPLE_TID, ids) &&
                       field(reader, sample_type, PERF_SAMPLE_TIME, sample.time_ns) &&
                       field(reader, sample_type, PERF_SAMPLE_ADDR, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_ID, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_STREAM_ID, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_CPU, cpu) &&
                       field(reader, sample_type, PERF_SAMPLE_PERIOD, sample.period) &&
                       field(reader, sample_type, PERF_SAMPLE_READ, read);
    if (!whole) return std::nullopt;
    sample.pid = ids.first;
    sample.tid = ids.second;
    sample.cpu = cpu.first;
    sample.count = read.value;
    sample.in_kernel = (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    return sample;
}

std::optional<SwitchRecord> decode_switch(const RecordView& record, std::uint64_t sample_type) {
    if (record.type != PERF_RECORD_SWITCH) return std::nullopt;
    ByteReader reader(record.body);
    SwitchRecord change;
    Pair ids{};
    Pair cpu{};
    std::uint64_t unused = 0;
    const bool whole = field(reader, sample_type, PERF_SAMPLE_TID, ids) &&
                       field(reader, sample_type, PERF_SAMPLE_TIME, change.time_ns) &&
                       field(reader, sample_type, PERF_SAMPLE_ID, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_STREAM_ID, unused) &&
                       field(reader, sample_type, PERF_SAMPLE_CPU, cpu);
    if (!whole) return std::nullopt;
    change.out = (record.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    change.preempted = (record.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    change.tid = ids.second;
    change.cpu = cpu.first;
    return change;
}

std::optional<TaskRecord> decode_task(const RecordView& record) {
    if (record.type != PERF_RECORD_FORK && record.type != PERF_RECORD_EXIT) return std::nullopt;
    ByteReader reader(record.body);
    const auto pids = reader.read<Pair>();  // its own, then its parent's; and the same of threads
    const auto tids = reader.read<Pair>();
    const auto time_ns = reader.read<std::uint64_t>();
    if (!pids || !tids || !time_ns) return std::nullopt;
    return TaskRecord{record.type == PERF_RECORD_EXIT, pids->first, tids->first, tids->second,
                      *time_ns};
}

std::optional<std::uint64_t> decode_lost(const RecordView& record) {
    if (record.type != PERF_RECORD_LOST) return std::nullopt;
    ByteReader reader(record.body);
    if (!reader.skip(sizeof(std::uint64_t))) return std::nullopt;
    return reader.read<std::uint64_t>();
}

}  // namespace ringside::perf
