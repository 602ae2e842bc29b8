#include "perf/data_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "perf/zstd_stream.h"

namespace ringside::perf {

namespace {

constexpr std::uint64_t piece_bytes = 4u << 20;
// No recording compresses better than this; a file made to exhaust memory does.
constexpr std::size_t most_compression = 256;
// A section of the header that is larger is a lie or of no use to us.
constexpr std::uint64_t section_limit_bytes = 256u << 20;

}  // namespace

// Everything that happens once, while a file is opened.
class DataFile::Opening {
  public:
    Opening(DataFile& file, const SideVisitor& side) : file_(file), side_(side) {}

    Result<void> from(const std::string& path) {
        const bool directory = std::filesystem::is_directory(path);
        auto source = path == "-" ? slurp(STDIN_FILENO, "standard input")
                                  : open_source(directory ? path + "/data" : path);
        if (!source) return source.error();
        if (auto done = read_header(*source); !done)
            return Error{done.error().code, done.error().sys_errno,
                         source->name + ": " + done.error().what, done.error().hint};
        file_.sources_.push_back(std::move(*source));
        if (directory) {
            if (auto done = add_parts(path); !done) return done.error();
        }
        // Decompressing appends sources; those hold no compressed records again.
        const std::size_t given = file_.sources_.size();
        for (std::size_t i = 0; i < given; ++i)
            if (auto done = index(i, true); !done) return done.error();
        for (std::size_t i = given; i < file_.sources_.size(); ++i)
            if (auto done = index(i, false); !done) return done.error();
        if (!ids_found_) find_ids();
        if (file_.header_.events.empty())
            return base::fail(ErrorCode::bad_input, path + ": no event is described in the file",
                              "the file was cut short before its first record; record again");
        return {};
    }

  private:
    void warn(std::string text) { file_.warnings_.push_back(std::move(text)); }

    Result<void> read_header(DataSource& source) {
        std::vector<std::byte> buffer;
        auto bytes = view(source, 0, data_header_bytes, buffer);
        if (!bytes) return bytes.error();
        auto sections = parse_header_sections(*bytes);
        if (!sections) return sections.error();
        file_.header_.order = sections->order;
        file_.header_.pipe = sections->pipe;
        if (sections->pipe) {
            source.offset = pipe_header_bytes;
            source.size -= std::min<std::uint64_t>(source.size, pipe_header_bytes);
            return {};
        }
        if (auto done = read_events(source, *sections); !done) return done.error();
        bound_data(source, *sections);
        if (auto done = read_context(source); !done) return done.error();
        return read_features(source, *sections);
    }

    // A recording that was never finished has no section with the names and formats of its events,
    // but its context has.
    static void describe_events(DataHeader& header) {
        std::size_t index = 0;
        for (const auto& item : header.context) {
            if (item.name == "tracepoint_format") {
                if (auto format = parse_tracepoint_format(item.value))
                    header.tracepoints.push_back(std::move(*format));
            }
            if (item.name != "event" || index >= header.events.size()) continue;
            header.events[index++].name = item.value;
        }
    }

    Result<void> read_context(const DataSource& source) {
        auto front = section_bytes(source, {data_header_bytes, context_rest_at});
        if (!front) return front.error();
        const ByteOrder order = file_.header_.order;
        auto bytes = section_bytes(source, {data_header_bytes, context_head_bytes(*front, order)});
        if (!bytes) return bytes.error();
        auto head = parse_context_head(*bytes, order);
        if (!head) return {};
        file_.header_.context = std::move(head->items);
        describe_events(file_.header_);
        auto rest = section_bytes(source, {head->rest_offset, head->rest_bytes});
        if (!rest) return rest.error();
        for (auto& item : parse_context(*rest, order))
            file_.header_.context.push_back(std::move(item));
        return {};
    }

    Result<std::vector<std::byte>> section_bytes(const DataSource& source, const Section& section) {
        std::vector<std::byte> buffer;
        auto bytes =
            view(source, section.offset, std::min(section.size, section_limit_bytes), buffer);
        if (!bytes) return bytes.error();
        return std::vector<std::byte>(bytes->begin(), bytes->end());
    }

    Result<void> read_events(const DataSource& source, const HeaderSections& sections) {
        constexpr std::uint64_t ids_field = 2 * sizeof(std::uint64_t);
        const std::uint64_t each = sections.attribute_bytes;
        if (each < PERF_ATTR_SIZE_VER0 + ids_field)
            return base::fail(ErrorCode::bad_input,
                              fmt::format("offset 16: expected event descriptions of at least {} "
                                          "bytes, found {}",
                                          PERF_ATTR_SIZE_VER0 + ids_field, each));
        auto bytes = section_bytes(source, sections.attributes);
        if (!bytes) return bytes.error();
        if (bytes->size() < std::min(sections.attributes.size, section_limit_bytes))
            warn(fmt::format("{}: the event descriptions at offset {} are cut short", source.name,
                             sections.attributes.offset));
        for (std::uint64_t at = 0; at + each <= bytes->size(); at += each) {
            const auto entry = std::span<const std::byte>(*bytes).subspan(at, each);
            const auto attributes = parse_attributes(entry.first(each - ids_field), sections.order);
            if (!attributes) continue;
            DataEvent event;
            event.attributes = *attributes;
            event.layout = SampleLayout(*attributes);
            FieldCursor cursor(entry.last(ids_field), sections.order);
            Section ids;
            ids.offset = cursor.u64();
            ids.size = cursor.u64();
            if (auto done = read_ids(source, ids, event); !done) return done.error();
            file_.header_.events.push_back(std::move(event));
        }
        return {};
    }

    Result<void> read_ids(const DataSource& source, const Section& section, DataEvent& event) {
        auto bytes = section_bytes(source, section);
        if (!bytes) return bytes.error();
        const WordSpan words(*bytes, file_.header_.order);
        // Each event has a section of its own; all of them could name the same one.
        ids_left_ = ids_left_.value_or(source.whole_size / sizeof(std::uint64_t));
        if (words.size() > *ids_left_) {
            return base::fail(ErrorCode::bad_input,
                              fmt::format("{}: the events have more ids than the file has room for",
                                          source.name));
        }
        *ids_left_ -= words.size();
        for (std::size_t i = 0; i < words.size(); ++i) event.ids.push_back(words[i]);
        return {};
    }

    void bound_data(DataSource& source, const HeaderSections& sections) {
        const std::uint64_t whole = source.size;
        const std::uint64_t from = std::min(sections.data.offset, whole);
        source.offset = from;
        source.size = std::min(sections.data.size, whole - from);
        if (sections.data.size == 0) {
            source.size = whole - from;
            if (source.size > 0)
                warn(source.name +
                     ": the recorder was killed before it wrote how much it recorded; "
                     "everything up to the end of the file is read");
        } else if (sections.data.size > whole - from) {
            warn(fmt::format(
                "{}: cut short: {} bytes of records expected at offset {}, {} are there",
                source.name, sections.data.size, from, whole - from));
        }
    }

    // Behind the records lie one offset and size for each feature, in the order of their numbers.
    Result<void> read_features(const DataSource& source, const HeaderSections& sections) {
        const std::uint64_t table = sections.data.offset + sections.data.size;
        if (sections.data.size == 0 || table < sections.data.offset) return {};
        std::uint64_t index = 0;
        for (std::uint32_t feature = 0; feature < 256; ++feature) {
            if (!sections.has(feature)) continue;
            auto entry = section_bytes(source, {table + 16 * index++, 16});
            if (!entry) return entry.error();
            FieldCursor cursor(*entry, sections.order);
            Section where;
            where.offset = cursor.u64();
            where.size = cursor.u64();
            if (!cursor.ok()) continue;  // cut short, which was said already
            auto bytes = section_bytes(source, where);
            if (!bytes) return bytes.error();
            if (!parse_feature(feature, *bytes, file_.header_))
                warn(fmt::format("{}: feature {} at offset {} is cut short", source.name, feature,
                                 where.offset));
        }
        return {};
    }

    // `perf record --threads`: one file of records for each thread beside the one with the header.
    Result<void> add_parts(const std::string& directory) {
        std::vector<std::string> names;
        std::error_code failed;
        for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
            const std::string name = entry.path().filename();
            if (name.starts_with("data.")) names.push_back(entry.path());
        }
        std::sort(names.begin(), names.end());
        for (const auto& name : names) {
            auto source = open_source(name);
            if (!source) return source.error();
            file_.sources_.push_back(std::move(*source));
        }
        return {};
    }

    // Finds the pieces of a source, and takes in what its records say about the file itself.
    Result<void> index(std::size_t number, bool may_be_compressed) {
        std::vector<std::byte> buffer;
        ZstdStream zstd;
        std::vector<std::byte> decompressed;
        const std::uint64_t begin = file_.sources_[number].offset;
        const std::uint64_t end = begin + file_.sources_[number].size;
        file_.sources_[number].base = next_base_;
        next_base_ += end - begin;
        std::uint64_t at = begin;
        while (at < end) {
            const DataSource& source = file_.sources_[number];
            auto bytes = view(source, at, std::min(piece_bytes, end - at), buffer);
            if (!bytes) return bytes.error();
            std::uint64_t used = 0;
            std::optional<std::uint64_t> extent;
            while ((extent = record_extent(bytes->subspan(used), file_.header_.order)) &&
                   *extent != 0 && *extent <= bytes->size() - used) {
                DataRecord record = record_at(bytes->subspan(used), file_.header_.order);
                record.position = source.base + (at - begin) + used;
                if (record.type != PERF_RECORD_SAMPLE) take_in(record, zstd, decompressed);
                used += *extent;
            }
            if (used > 0) file_.pieces_.push_back({number, at, used});
            at += used;
            if (used > 0 && at < end && extent != 0 && bytes->size() == piece_bytes) continue;
            if (extent && *extent > piece_bytes && *extent <= end - at) {
                at += *extent;  // trace data of a processor: not for us
                continue;
            }
            if (at < end) warn(describe_damage(source, at, end, extent));
            break;
        }
        if (!decompressed.empty() && may_be_compressed) add_memory(number, std::move(decompressed));
        return {};
    }

    void take_in(const DataRecord& record, ZstdStream& zstd, std::vector<std::byte>& decompressed) {
        DataHeader& header = file_.header_;
        if (record.type == record_compressed) {
            compressed_bytes_ += record.body.size();
            const std::size_t limit = most_compression * compressed_bytes_ + piece_bytes;
            if (!zstd.append(record.body, decompressed, limit) && !zstd_warned_) {
                zstd_warned_ = true;
                warn("a compressed record cannot be decompressed: " + zstd.error());
            }
        } else if (record.type == record_header_attr && header.pipe) {
            if (auto event = parse_attribute_record(record.body, header.order))
                header.events.push_back(std::move(*event));
        } else if (record.type == record_feature && header.pipe) {
            FieldCursor cursor(record.body, header.order);
            const std::uint64_t feature = cursor.u64();
            if (cursor.ok() && feature < 256)
                parse_feature(static_cast<std::uint32_t>(feature),
                              record.body.subspan(sizeof(std::uint64_t)), header);
        } else if (record.type == record_tracing_data) {
            header.tracepoints = parse_tracing_data(record.payload, header.order);
        } else if (record.type == record_build_id) {
            if (auto id = parse_build_id(record.body, record.misc, header.order))
                header.build_ids.push_back(std::move(*id));
        } else if (record.type == record_id_index) {
            parse_id_index(record.body, header.order, file_.guest_places_);
        } else if (record.type == record_event_update) {
            if (const auto renamed = parse_event_update(record.body, header.order))
                rename_event(*renamed);
        } else if (side_) {
            if (!ids_found_) find_ids();
            side_(file_, record);
        }
    }

    void add_memory(std::size_t origin, std::vector<std::byte> bytes) {
        DataSource source;
        source.name = file_.sources_[origin].name + " (decompressed)";
        source.size = bytes.size();
        source.memory = std::move(bytes);
        file_.sources_.push_back(std::move(source));
    }

    // In pipe mode events come among the records.
    void index_ids() {
        const auto& events = file_.header_.events;
        for (; events_indexed_ < events.size(); ++events_indexed_)
            for (const auto id : events[events_indexed_].ids)
                file_.event_by_id_.emplace(id, events_indexed_);
    }

    void rename_event(const EventName& renamed) {
        index_ids();
        const auto event = file_.event_of(renamed.id);
        if (event) file_.header_.events[*event].name = renamed.name;
    }

    void find_ids() {
        const auto& events = file_.header_.events;
        ids_found_ = true;
        index_ids();
        if (events.size() < 2) return;
        file_.id_in_sample_ = events.front().layout.id_offset();
        file_.id_from_end_ = events.front().layout.id_offset_from_end();
    }

    DataFile& file_;
    const SideVisitor& side_;
    bool ids_found_ = false;
    std::uint64_t next_base_ = 0;
    std::size_t compressed_bytes_ = 0;
    bool zstd_warned_ = false;
    std::optional<std::uint64_t> ids_left_;  // that the file has room for
    std::size_t events_indexed_ = 0;         // whose ids are in event_by_id_
};

Result<DataFile> DataFile::open(const std::string& path, const SideVisitor& side) {
    DataFile file;
    if (auto done = Opening(file, side).from(path); !done) return done.error();
    return file;
}

std::optional<std::size_t> DataFile::event_of(std::uint64_t id) const {
    const auto found = event_by_id_.find(id);
    if (found == event_by_id_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint64_t> DataFile::id_of(const DataRecord& record) const {
    constexpr std::size_t word = sizeof(std::uint64_t);
    const bool sample = record.type == PERF_RECORD_SAMPLE;
    const auto& where = sample ? id_in_sample_ : id_from_end_;
    if (!where) return std::nullopt;
    if (record.body.size() < *where + (sample ? word : 0)) return std::nullopt;
    const std::size_t at = sample ? *where : record.body.size() - *where;
    return FieldCursor(record.body.subspan(at), header_.order).u64();
}

std::size_t DataFile::event_of(const DataRecord& record) const {
    const auto id = id_of(record);
    return id ? event_of(*id).value_or(0) : 0;
}

std::optional<GuestPlace> DataFile::guest_of(const DataRecord& record) const {
    if (guest_places_.empty()) return std::nullopt;
    const auto id = id_of(record);
    const auto found = id ? guest_places_.find(*id) : guest_places_.end();
    if (found == guest_places_.end()) return std::nullopt;
    return found->second;
}

Result<void> DataFile::read(const DataPiece& piece, std::vector<std::byte>& buffer,
                            const Visitor& visit) const {
    const DataSource& source = sources_[piece.source];
    auto bytes = view(source, piece.offset, piece.size, buffer);
    if (!bytes) return bytes.error();
    std::uint64_t used = 0;
    while (true) {
        const auto extent = record_extent(bytes->subspan(used), header_.order);
        if (!extent || *extent == 0 || *extent > bytes->size() - used) return {};
        DataRecord record = record_at(bytes->subspan(used), header_.order);
        record.position = source.base + (piece.offset - source.offset) + used;
        visit(record);
        used += *extent;
    }
}

}  // namespace ringside::perf
