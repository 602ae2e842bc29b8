#include "perf/tracepoint_format.h"

#include <algorithm>

#include "base/text.h"

namespace ringside::perf {

namespace {

using base::FieldCursor;

// The number behind "offset:" in "offset:8; size:4; signed:0;".
std::optional<std::uint32_t> number_behind(std::string_view line, std::string_view key) {
    const auto at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const auto rest = line.substr(at + key.size());
    const auto number = base::parse_u64(base::trim(rest.substr(0, rest.find(';'))));
    if (!number || *number > UINT16_MAX) return std::nullopt;  // no sample is longer
    return static_cast<std::uint32_t>(*number);
}

// "field:unsigned int exit_reason; offset:8; size:4; signed:0;", or "... args[6]; ...".
std::optional<TracepointField> parse_field(std::string_view line) {
    constexpr std::string_view begin = "field:";
    const auto offset = number_behind(line, "offset:");
    const auto size = number_behind(line, "size:");
    if (!line.starts_with(begin) || !offset || !size) return std::nullopt;
    const auto words = base::split_words(line.substr(0, line.find(';')).substr(begin.size()));
    if (words.empty()) return std::nullopt;
    const auto name = words.back();
    return TracepointField{std::string(name.substr(0, name.find('['))), *offset, *size};
}

// Up to and with the NUL.
std::string_view take_text(FieldCursor& cursor) {
    FieldCursor ahead = cursor;
    const auto text = ahead.text();
    cursor.skip(text.size() + 1);
    return text;
}

std::string_view take_sized(FieldCursor& cursor) {
    const std::uint64_t size = cursor.u64();
    const auto bytes = cursor.take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void take_systems(FieldCursor& cursor, std::vector<TracepointFormat>& formats) {
    const std::uint32_t systems = cursor.u32();
    for (std::uint32_t i = 0; i < systems && cursor.ok(); ++i) {
        take_text(cursor);
        const std::uint32_t events = cursor.u32();
        for (std::uint32_t k = 0; k < events && cursor.ok(); ++k)
            if (auto format = parse_tracepoint_format(take_sized(cursor)))
                formats.push_back(std::move(*format));
    }
}

}  // namespace

std::optional<std::uint64_t> TracepointField::read(std::span<const std::byte> raw,
                                                   base::ByteOrder order) const {
    if (raw.size() < offset) return std::nullopt;
    FieldCursor cursor(raw.subspan(offset), order);
    std::uint64_t value = 0;
    switch (size) {
        case 1:
            value = cursor.read<std::uint8_t>();
            break;
        case 2:
            value = cursor.u16();
            break;
        case 4:
            value = cursor.u32();
            break;
        case 8:
            value = cursor.u64();
            break;
        default:
            return std::nullopt;
    }
    if (!cursor.ok()) return std::nullopt;
    return value;
}

const TracepointField* TracepointFormat::find(std::string_view field) const {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& one) { return one.name == field; });
    return found == fields.end() ? nullptr : &*found;
}

std::optional<TracepointFormat> parse_tracepoint_format(std::string_view text) {
    const auto name = base::find_field(text, "name");
    const auto id_text = base::find_field(text, "ID");
    const auto id = id_text ? base::parse_u64(*id_text) : std::nullopt;
    if (!name || !id) return std::nullopt;
    TracepointFormat format{std::string(*name), *id, {}};
    for (const auto line : base::split_lines(text))
        if (auto field = parse_field(base::trim(line))) format.fields.push_back(std::move(*field));
    return format;
}

std::vector<TracepointFormat> parse_tracing_data(std::span<const std::byte> bytes,
                                                 base::ByteOrder order) {
    constexpr std::string_view magic = "\x17\x08\x44tracing";
    std::vector<TracepointFormat> formats;
    FieldCursor cursor(bytes, order);
    const auto begin = cursor.take(magic.size());
    if (std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size()) != magic)
        return formats;
    take_text(cursor);                                              // version
    cursor.skip(2 * sizeof(std::uint8_t) + sizeof(std::uint32_t));  // byte order, long, page
    for (int header = 0; header < 2; ++header) {                    // header_page and header_event
        take_text(cursor);
        take_sized(cursor);
    }
    const std::uint32_t own_events = cursor.u32();  // ftrace's
    for (std::uint32_t i = 0; i < own_events && cursor.ok(); ++i) take_sized(cursor);
    take_systems(cursor, formats);
    return formats;
}

}  // namespace ringside::perf
