// A perf.data file, read in pieces: whole records, in file order or several pieces at once. Takes
// what perf 4 to 6 and Ringside write: either byte order, files, pipes and directories, compressed
// or cut short. Never trusts a length it has not compared to what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <ringside/result.h>

#include "perf/data_header.h"
#include "perf/data_record.h"
#include "perf/data_source.h"

namespace ringside::perf {

// Whole records that lie together.
struct DataPiece {
    std::size_t source = 0;  // a file, or what was decompressed from it
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

class DataFile {
  public:
    using Visitor = std::function<void(const DataRecord&)>;
    using SideVisitor = std::function<void(const DataFile&, const DataRecord&)>;

    // "-" is standard input. Goes through all records once to find where they begin, and shows
    // those that are no samples to `side`, in file order: who was mapped and forked must be known
    // before the first sample is read.
    static Result<DataFile> open(const std::string& path, const SideVisitor& side = {});

    ByteOrder order() const { return header_.order; }
    const std::vector<DataEvent>& events() const { return header_.events; }
    const std::vector<DataBuildId>& build_ids() const { return header_.build_ids; }
    const std::vector<TracepointFormat>& tracepoints() const { return header_.tracepoints; }
    const Origin& origin() const { return header_.origin; }
    // What Ringside recorded beside perf's own sections; empty in a file of perf's.
    const Context& context() const { return header_.context; }
    // The formats of the recorded tracepoints; empty where the file has none.
    const std::vector<std::byte>& tracing_data() const { return header_.tracing_data; }
    const std::vector<DataPiece>& pieces() const { return pieces_; }
    // What was wrong with the file although it could be read, each with its place.
    const std::vector<std::string>& warnings() const { return warnings_; }

    // The event behind an id. Files with one event need no ids.
    std::optional<std::size_t> event_of(std::uint64_t id) const;
    // The event of a record: samples carry the id at one end, other records at the other. The first
    // event where the record does not say.
    std::size_t event_of(const DataRecord& record) const;

    // The guest that recorded it, where a guest's recording was merged into this one.
    std::optional<GuestPlace> guest_of(const DataRecord& record) const;

    // Calls `visit` for each record of a piece. May be called from several threads, each with a
    // buffer of its own. Fails when the file cannot be read any more.
    Result<void> read(const DataPiece& piece, std::vector<std::byte>& buffer,
                      const Visitor& visit) const;

  private:
    class Opening;

    std::optional<std::uint64_t> id_of(const DataRecord& record) const;

    DataHeader header_;
    std::vector<DataSource> sources_;
    std::vector<DataPiece> pieces_;
    std::vector<std::string> warnings_;
    std::unordered_map<std::uint64_t, std::size_t> event_by_id_;
    GuestPlaces guest_places_;
    std::optional<std::size_t> id_in_sample_;
    std::optional<std::size_t> id_from_end_;
};

}  // namespace ringside::perf
