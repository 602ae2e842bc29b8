#include "perf/data_record.h"

namespace ringside::perf {

std::optional<std::uint64_t> record_extent(std::span<const std::byte> bytes, ByteOrder order) {
    if (bytes.size() < sizeof(perf_event_header)) return std::nullopt;
    FieldCursor cursor(bytes, order);
    const std::uint32_t type = cursor.u32();
    cursor.skip(sizeof(std::uint16_t));
    const std::uint64_t size = cursor.u16();
    if (size < sizeof(perf_event_header)) return 0;
    if (type != record_tracing_data && type != record_auxtrace) return size;
    // These two are followed by as many bytes as their first field says.
    const std::uint64_t payload = type == record_tracing_data ? cursor.u32() : cursor.u64();
    if (!cursor.ok()) return std::nullopt;
    const std::uint64_t whole = size + (payload + 7) / 8 * 8;
    return whole < size ? 0 : whole;
}

DataRecord record_at(std::span<const std::byte> bytes, ByteOrder order) {
    FieldCursor cursor(bytes, order);
    DataRecord record;
    record.type = cursor.u32();
    record.misc = cursor.u16();
    const std::uint16_t size = cursor.u16();
    record.body = bytes.first(size).subspan(sizeof(perf_event_header));
    if (record.type == record_tracing_data) record.payload = bytes.subspan(size, cursor.u32());
    return record;
}

}  // namespace ringside::perf
