#include "perf/record_encoder.h"

#include <algorithm>

#include "base/text.h"
#include "perf/data_file.h"

namespace ringside::perf {

namespace {

using base::ByteWriter;

// Writes the header when it is made and the size when it is destroyed.
class OpenRecord {
  public:
    OpenRecord(ByteWriter& out, std::uint32_t type, std::uint16_t misc = 0)
        : out_(out), begin_(out.size()) {
        out.u32(type).u16(misc).u16(0);
    }
    OpenRecord(const OpenRecord&) = delete;
    OpenRecord& operator=(const OpenRecord&) = delete;
    ~OpenRecord() {
        constexpr std::size_t size_at = 6;
        out_.put(begin_ + size_at, static_cast<std::uint16_t>(out_.size() - begin_));
    }

  private:
    ByteWriter& out_;
    std::size_t begin_;
};

void add_stamp(ByteWriter& out, const RecordStamp& stamp) {
    out.u32(stamp.pid).u32(stamp.tid).u64(stamp.time_ns).u32(stamp.cpu).u32(0).u64(stamp.event_id);
}

void add_place(ByteWriter& out, const MapRecord& map) {
    out.u32(map.pid).u32(map.tid).u64(map.start).u64(map.size).u64(map.file_offset);
}

}  // namespace

std::string raw_build_id(std::string_view hexadecimal) {
    std::string raw;
    for (std::size_t i = 0; i + 1 < hexadecimal.size() && raw.size() < longest_build_id; i += 2)
        raw += static_cast<char>(base::parse_u64(hexadecimal.substr(i, 2), 16).value_or(0));
    return raw;
}

void encode_kernel_map(ByteWriter& out, const MapRecord& map, std::uint16_t misc) {
    const OpenRecord record(out, PERF_RECORD_MMAP, misc);
    add_place(out, map);
    out.text(map.file);
    add_stamp(out, {map.pid, map.tid});
}

void encode_process_map(ByteWriter& out, const MapRecord& map) {
    const bool identified = !map.build_id.empty();
    const OpenRecord record(
        out, PERF_RECORD_MMAP2,
        PERF_RECORD_MISC_USER | (identified ? PERF_RECORD_MISC_MMAP_BUILD_ID : std::uint16_t{0}));
    add_place(out, map);
    if (identified) {
        const std::string id = raw_build_id(map.build_id);
        out.add(static_cast<std::uint8_t>(id.size())).zeros(3).raw(id);
        out.zeros(longest_build_id - id.size());
    } else {
        out.u32(map.major).u32(map.minor).u64(map.inode).u64(0);
    }
    out.u32(map.protection).u32(map.flags).text(map.file);
    add_stamp(out, {map.pid, map.tid, map.time_ns});
}

void encode_comm(ByteWriter& out, std::uint32_t pid, std::uint32_t tid, std::string_view comm,
                 std::uint64_t time_ns) {
    const OpenRecord record(out, PERF_RECORD_COMM);
    out.u32(pid).u32(tid).text(comm);
    add_stamp(out, {pid, tid, time_ns});
}

void encode_exec(ByteWriter& out, std::uint32_t pid, std::uint64_t time_ns, std::string_view comm) {
    const OpenRecord record(out, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    out.u32(pid).u32(pid).text(comm);
    add_stamp(out, {pid, pid, time_ns});
}

void encode_reading(ByteWriter& out, std::uint64_t value, const RecordStamp& stamp) {
    const OpenRecord record(out, PERF_RECORD_READ);
    out.u32(stamp.pid).u32(stamp.tid).u64(value);
    add_stamp(out, stamp);
}

void encode_lost_samples(ByteWriter& out, std::uint64_t count, const RecordStamp& stamp) {
    const OpenRecord record(out, PERF_RECORD_LOST_SAMPLES);
    out.u64(count);
    add_stamp(out, stamp);
}

void encode_sample(ByteWriter& out, const SampleRecord& sample) {
    const OpenRecord record(out, PERF_RECORD_SAMPLE,
                            sample.in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    const auto is_address = [](std::uint64_t word) { return !is_chain_mark(word); };
    const auto top = std::find_if(sample.chain.begin(), sample.chain.end(), is_address);
    const RecordStamp& stamp = sample.stamp;
    out.u64(stamp.event_id).u64(top == sample.chain.end() ? 0 : *top);
    out.u32(stamp.pid).u32(stamp.tid).u64(stamp.time_ns).u32(stamp.cpu).u32(0);
    out.u64(sample.period).u64(sample.chain.size()).raw(std::as_bytes(sample.chain));
}

void encode_id_index(ByteWriter& out, std::span<const GuestId> ids) {
    // A record's size has 16 bits.
    constexpr std::size_t most = 1000;
    constexpr std::uint64_t any = ~std::uint64_t{0};
    for (; !ids.empty(); ids = ids.subspan(std::min(most, ids.size()))) {
        const auto part = ids.first(std::min(most, ids.size()));
        const OpenRecord record(out, record_id_index);
        out.u64(part.size());
        for (const auto& id : part) out.u64(id.id).u64(id.event).u64(any).u64(any);
        for (const auto& id : part) out.u64(id.machine_pid).u64(id.vcpu);
    }
}

void encode_finished_round(ByteWriter& out) {
    const OpenRecord record(out, record_finished_round);
}

}  // namespace ringside::perf
