#include "perf/data_writer.h"

#include <array>
#include <cerrno>

#include <unistd.h>

#include "base/byte_writer.h"
#include "base/error.h"

namespace ringside::perf {

namespace {

using base::ByteWriter;

// Offsets in the header (perf.data-file-format.txt).
constexpr std::size_t data_size_at = 48;
constexpr std::size_t features_at = 72;

struct FeatureSection {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

void add_section(ByteWriter& out, std::uint64_t offset, std::uint64_t bytes) {
    out.u64(offset).u64(bytes);
}

// Behind the header: context, ids of all events, attributes with the place of their ids.
ByteWriter encode_head(const std::vector<WrittenEvent>& events, const Context& context) {
    constexpr std::uint64_t attribute_bytes = sizeof(perf_event_attr) + sizeof(FeatureSection);
    const auto context_bytes = encode_context_head(context);
    std::uint64_t ids_at = data_header_bytes + context_bytes.size();
    std::uint64_t attributes_at = ids_at;
    for (const auto& event : events) attributes_at += event.ids.size() * sizeof(std::uint64_t);
    const std::uint64_t data_at = attributes_at + events.size() * attribute_bytes;
    ByteWriter out;
    out.u64(data_magic).u64(data_header_bytes).u64(attribute_bytes);
    add_section(out, attributes_at, events.size() * attribute_bytes);
    add_section(out, data_at, 0);
    add_section(out, 0, 0);  // event types, which nobody fills any more
    out.zeros(4 * sizeof(std::uint64_t)).raw(context_bytes);
    for (const auto& event : events) out.raw(std::as_bytes(std::span(event.ids)));
    for (const auto& event : events) {
        out.add(event.attributes);
        add_section(out, ids_at, event.ids.size() * sizeof(std::uint64_t));
        ids_at += event.ids.size() * sizeof(std::uint64_t);
    }
    return out;
}

}  // namespace

Result<DataWriter> DataWriter::create(const std::string& path,
                                      const std::vector<WrittenEvent>& events,
                                      const Context& context) {
    auto draft = base::Draft::beside(path, 0600);
    if (!draft) return draft.error();
    DataWriter writer(path, std::move(*draft));
    if (auto done = writer.write_head(events, context); !done) return done.error();
    return writer;
}

Result<void> DataWriter::write_head(const std::vector<WrittenEvent>& events,
                                    const Context& context) {
    const ByteWriter head = encode_head(events, context);
    data_offset_ = head.size();
    return write_at(0, head.bytes());
}

Result<void> DataWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t done =
            ::pwrite(draft_.fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return base::fail_errno(errno, "cannot write to " + path_);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
    return {};
}

void DataWriter::cut_back() {
    full_ = true;
    [[maybe_unused]] const int cut = ::ftruncate(draft_.fd(), static_cast<off_t>(records_end()));
}

Result<void> DataWriter::append(Parts parts) {
    if (full_) return {};
    std::uint64_t size = 0;
    for (const auto& part : parts) {
        if (auto done = write_at(records_end() + size, part); !done) {
            cut_back();
            return done;
        }
        size += part.size();
    }
    data_bytes_ += size;
    // After the records: whoever reads the size finds them.
    return write_at(data_size_at, std::as_bytes(std::span(&data_bytes_, 1)));
}

Result<void> DataWriter::finish(const FeatureSections& features, const Context& context) {
    std::uint64_t at = records_end() + features.size() * sizeof(FeatureSection);
    std::array<std::uint64_t, 4> bits{};
    ByteWriter table;
    ByteWriter contents;
    for (const auto& [number, bytes] : features) {
        bits[number / 64] |= std::uint64_t{1} << (number % 64);
        add_section(table, at, bytes.size());
        contents.raw(bytes);
        at += bytes.size();
    }
    const auto rest = encode_context(context);
    bytes_behind_ = at + rest.size() - records_end();
    const std::array<std::uint64_t, 2> rest_place{at, rest.size()};
    table.raw(contents.bytes()).raw(rest);
    if (auto done = write_at(records_end(), table.bytes()); !done) {
        cut_back();
        return done;
    }
    if (auto done =
            write_at(data_header_bytes + context_rest_at, std::as_bytes(std::span(rest_place)));
        !done)
        return done;
    if (auto done = write_at(features_at, std::as_bytes(std::span(bits))); !done) return done;
    return draft_.sync();
}

}  // namespace ringside::perf
