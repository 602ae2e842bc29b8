#include "perf/data_features.h"

#include "base/byte_writer.h"
#include "perf/data_writer.h"
#include "perf/record_encoder.h"

namespace ringside::perf {

namespace {

using base::ByteWriter;

// Texts and file names are filled up to this (NAME_ALIGN of perf's header.c).
constexpr std::size_t text_unit = 64;

void add_text(ByteWriter& out, std::string_view text) {
    const std::size_t filled = text.size() + text_unit - text.size() % text_unit;
    out.u32(static_cast<std::uint32_t>(filled)).text(text, text_unit);
}

void add_build_id(ByteWriter& out, const DataBuildId& id) {
    const std::string raw = raw_build_id(id.build_id);
    const std::size_t begin = out.size();
    out.u32(0).u16(static_cast<std::uint16_t>(id.mode) | sized_build_id).u16(0).u32(id.pid);
    out.raw(raw).zeros(longest_build_id - raw.size());
    out.add(static_cast<std::uint8_t>(raw.size())).zeros(3).text(id.file, text_unit);
    out.put(begin + 6, static_cast<std::uint16_t>(out.size() - begin));
}

}  // namespace

std::vector<std::byte> encode_text(std::string_view text) {
    ByteWriter out;
    add_text(out, text);
    return std::move(out).take();
}

std::vector<std::byte> encode_texts(const std::vector<std::string>& texts) {
    ByteWriter out;
    out.u32(static_cast<std::uint32_t>(texts.size()));
    for (const auto& text : texts) add_text(out, text);
    return std::move(out).take();
}

std::vector<std::byte> encode_build_ids(const std::vector<DataBuildId>& build_ids) {
    ByteWriter out;
    for (const auto& id : build_ids) add_build_id(out, id);
    return std::move(out).take();
}

std::vector<std::byte> encode_event_descriptions(const std::vector<WrittenEvent>& events) {
    ByteWriter out;
    out.u32(static_cast<std::uint32_t>(events.size()));
    out.u32(sizeof(perf_event_attr));
    for (const auto& event : events) {
        out.add(event.attributes).u32(static_cast<std::uint32_t>(event.ids.size()));
        add_text(out, event.name);
        out.raw(std::as_bytes(std::span(event.ids)));
    }
    return std::move(out).take();
}

std::vector<std::byte> encode_words(std::initializer_list<std::uint64_t> words) {
    ByteWriter out;
    for (const auto word : words) out.u64(word);
    return std::move(out).take();
}

std::vector<std::byte> encode_clock_data(std::uint32_t clock_id, std::uint64_t wall_clock_ns,
                                         std::uint64_t sample_clock_ns) {
    constexpr std::uint32_t version = 1;
    ByteWriter out;
    out.u32(version).u32(clock_id).u64(wall_clock_ns).u64(sample_clock_ns);
    return std::move(out).take();
}

}  // namespace ringside::perf
