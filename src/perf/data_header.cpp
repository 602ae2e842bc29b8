#include "perf/data_header.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace ringside::perf {

namespace {

std::string text_field(FieldCursor& cursor) {
    const std::uint32_t size = cursor.u32();
    return std::string(FieldCursor::text_in(cursor.take(size)));
}

Section section(FieldCursor& cursor) {
    Section result;
    result.offset = cursor.u64();
    result.size = cursor.u64();
    return result;
}

// Flags are single bits: the other byte order counts them from the other end of each byte.
std::uint64_t flag_bits(std::span<const std::byte> bytes, ByteOrder order) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto byte = static_cast<std::uint64_t>(bytes[i]);
        if (order == ByteOrder::swapped) {
            std::uint64_t turned = 0;
            for (int bit = 0; bit < 8; ++bit) turned |= (byte >> bit & 1) << (7 - bit);
            byte = turned;
        }
        value |= byte << (8 * i);
    }
    return value;
}

// How this machine lays out the flags: they begin right behind read_format.
constexpr std::size_t flags_offset = offsetof(perf_event_attr, read_format) + sizeof(std::uint64_t);

void set_flags(perf_event_attr& attributes, std::uint64_t flags) {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(reinterpret_cast<std::byte*>(&attributes) + flags_offset, &flags, sizeof flags);
}

bool parse_build_ids(FieldCursor& cursor, DataHeader& header) {
    while (cursor.remaining() >= sizeof(perf_event_header)) {
        cursor.skip(sizeof(std::uint32_t));  // type, which writers leave 0
        const std::uint16_t misc = cursor.u16();
        const std::uint16_t size = cursor.u16();
        if (size < sizeof(perf_event_header)) return false;
        const auto id =
            parse_build_id(cursor.take(size - sizeof(perf_event_header)), misc, cursor.order());
        if (!id) return false;
        header.build_ids.push_back(*id);
    }
    return cursor.ok();
}

bool parse_event_descriptions(FieldCursor& cursor, DataHeader& header) {
    const std::uint32_t count = cursor.u32();
    const std::uint32_t attribute_bytes = cursor.u32();
    for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
        cursor.skip(attribute_bytes);
        const std::uint32_t id_count = cursor.u32();
        const std::string name = text_field(cursor);
        const auto ids = cursor.take(std::uint64_t{id_count} * sizeof(std::uint64_t));
        if (!cursor.ok()) return false;
        // The same events in the same order as in the attribute section.
        if (i >= header.events.size()) continue;
        header.events[i].name = name;
        const WordSpan words(ids, cursor.order());
        if (header.events[i].ids.empty())
            for (std::size_t k = 0; k < words.size(); ++k) header.events[i].ids.push_back(words[k]);
    }
    return cursor.ok();
}

bool parse_command_line(FieldCursor& cursor, Origin& origin) {
    const std::uint32_t count = cursor.u32();
    for (std::uint32_t i = 0; i < count && cursor.ok(); ++i)
        origin.command.push_back(text_field(cursor));
    return cursor.ok();
}

bool parse_clock_data(FieldCursor& cursor, Origin& origin) {
    cursor.skip(sizeof(std::uint32_t));  // version
    origin.clock_id = cursor.u32();
    origin.wall_clock_ns = cursor.u64();
    origin.sample_clock_ns = cursor.u64();
    return cursor.ok();
}

}  // namespace

Result<HeaderSections> parse_header_sections(std::span<const std::byte> bytes) {
    FieldCursor probe(bytes);
    const std::uint64_t found = probe.u64();
    HeaderSections header;
    if (probe.ok() && found == swap_bytes(data_magic)) header.order = ByteOrder::swapped;
    if (!probe.ok() || (found != data_magic && found != swap_bytes(data_magic)))
        return base::fail(ErrorCode::bad_input, "offset 0: expected \"PERFILE2\"",
                          "give a file that `ringside record` or `perf record` wrote");

    FieldCursor cursor(bytes.subspan(sizeof data_magic), header.order);
    const std::uint64_t size = cursor.u64();
    header.pipe = cursor.ok() && size == pipe_header_bytes;
    if (header.pipe) return header;
    header.attribute_bytes = cursor.u64();
    header.attributes = section(cursor);
    header.data = section(cursor);
    section(cursor);  // event types, which no writer fills any more
    for (auto& word : header.features) word = cursor.u64();
    if (!cursor.ok() || size < data_header_bytes)
        return base::fail(
            ErrorCode::bad_input,
            fmt::format("offset 8: expected a header of {} bytes, the file has {}",
                        data_header_bytes, std::min<std::uint64_t>(size, bytes.size())),
            "the file was cut short while it was written or copied");
    return header;
}

std::optional<perf_event_attr> parse_attributes(std::span<const std::byte> bytes, ByteOrder order) {
    // Whole in the first version of the interface; all that came later may be missing.
    if (bytes.size() < PERF_ATTR_SIZE_VER0) return std::nullopt;
    FieldCursor cursor(bytes, order);
    perf_event_attr attributes{};
    attributes.type = cursor.u32();
    attributes.size = cursor.u32();
    attributes.config = cursor.u64();
    attributes.sample_period = cursor.u64();
    attributes.sample_type = cursor.u64();
    attributes.read_format = cursor.u64();
    set_flags(attributes, flag_bits(cursor.take(sizeof(std::uint64_t)), order));
    attributes.wakeup_events = cursor.u32();
    attributes.bp_type = cursor.u32();
    attributes.config1 = cursor.u64();
    if (cursor.remaining() >= 8) attributes.config2 = cursor.u64();
    if (cursor.remaining() >= 8) attributes.branch_sample_type = cursor.u64();
    if (cursor.remaining() >= 16) {
        attributes.sample_regs_user = cursor.u64();
        attributes.sample_stack_user = cursor.u32();
        attributes.clockid = static_cast<std::int32_t>(cursor.u32());
    }
    if (cursor.remaining() >= 8) attributes.sample_regs_intr = cursor.u64();
    return attributes;
}

std::optional<DataBuildId> parse_build_id(std::span<const std::byte> body, std::uint16_t misc,
                                          ByteOrder order) {
    constexpr std::size_t longest = 20;
    FieldCursor cursor(body, order);
    DataBuildId result;
    result.pid = cursor.u32();
    const auto bytes = cursor.take(longest + 4);
    if (!cursor.ok()) return std::nullopt;
    const auto given = static_cast<std::size_t>(bytes[longest]);
    const bool sized = (misc & sized_build_id) != 0 && given <= longest;
    for (const auto byte : bytes.first(sized ? given : longest))
        result.build_id += fmt::format("{:02x}", static_cast<unsigned>(byte));
    result.file = cursor.text();
    result.mode = cpu_mode(misc);
    return result;
}

std::optional<DataEvent> parse_attribute_record(std::span<const std::byte> body, ByteOrder order) {
    FieldCursor peek(body, order);
    peek.skip(sizeof(std::uint32_t));
    const std::uint32_t size = peek.u32();
    const std::size_t own = size == 0 ? PERF_ATTR_SIZE_VER0 : size;
    if (body.size() < own) return std::nullopt;
    const auto attributes = parse_attributes(body.first(own), order);
    if (!attributes) return std::nullopt;
    DataEvent event;
    event.attributes = *attributes;
    event.layout = SampleLayout(*attributes);
    const WordSpan ids(body.subspan(own), order);
    for (std::size_t i = 0; i < ids.size(); ++i) event.ids.push_back(ids[i]);
    return event;
}

bool parse_feature(std::uint32_t feature, std::span<const std::byte> bytes, DataHeader& header) {
    FieldCursor cursor(bytes, header.order);
    Origin& origin = header.origin;
    switch (static_cast<Feature>(feature)) {
        case Feature::build_id:
            return parse_build_ids(cursor, header);
        case Feature::hostname:
            origin.host = text_field(cursor);
            break;
        case Feature::os_release:
            origin.os_release = text_field(cursor);
            break;
        case Feature::version:
            origin.perf_version = text_field(cursor);
            break;
        case Feature::architecture:
            origin.architecture = text_field(cursor);
            break;
        case Feature::cpus:
            cursor.skip(sizeof(std::uint32_t));  // those that could be online
            origin.cpus_online = cursor.u32();
            break;
        case Feature::cpu_description:
            origin.cpu_description = text_field(cursor);
            break;
        case Feature::total_memory:
            origin.memory_kb = cursor.u64();
            break;
        case Feature::command_line:
            return parse_command_line(cursor, origin);
        case Feature::event_description:
            return parse_event_descriptions(cursor, header);
        case Feature::sample_time:
            origin.first_sample_ns = cursor.u64();
            origin.last_sample_ns = cursor.u64();
            break;
        case Feature::clock_data:
            return parse_clock_data(cursor, origin);
        case Feature::tracing_data:
            header.tracepoints = parse_tracing_data(bytes, header.order);
            header.tracing_data.assign(bytes.begin(), bytes.end());
            break;
        case Feature::cpu_id:
        case Feature::branch_stack:
        case Feature::clock_id:
            break;
    }
    return cursor.ok();
}

// Entries of id, index, CPU and thread; behind them, from Linux 6.0 on, as many of machine and
// vCPU.
void parse_id_index(std::span<const std::byte> body, ByteOrder order, GuestPlaces& places) {
    constexpr std::size_t entry_bytes = 4 * sizeof(std::uint64_t);
    FieldCursor ids(body, order);
    const std::uint64_t count = ids.u64();
    if (!ids.ok() || count > ids.remaining() / entry_bytes) return;
    FieldCursor machines = ids;
    machines.skip(count * entry_bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t id = ids.u64();
        ids.skip(entry_bytes - sizeof id);
        const GuestPlace place{static_cast<std::uint32_t>(machines.u64()),
                               static_cast<std::uint32_t>(machines.u64())};
        if (!machines.ok()) return;
        if (place.machine_pid != 0) places[id] = place;
    }
}

std::optional<EventName> parse_event_update(std::span<const std::byte> body, ByteOrder order) {
    constexpr std::uint64_t name_update = 2;
    FieldCursor cursor(body, order);
    const std::uint64_t kind = cursor.u64();
    const std::uint64_t id = cursor.u64();
    if (!cursor.ok() || kind != name_update) return std::nullopt;
    return EventName{id, std::string(cursor.text())};
}

}  // namespace ringside::perf
