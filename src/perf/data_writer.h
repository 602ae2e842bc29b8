// Writes a perf.data file that can be read at every moment: the header always says how many bytes
// of whole records there are, so that a recorder that is killed leaves a file that is only shorter.
// Layout: header, Ringside's context, event ids, attributes, records, and, once it is finished,
// feature sections and the rest of the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <linux/perf_event.h>

#include <ringside/result.h>

#include "base/file_io.h"
#include "perf/data_context.h"
#include "perf/data_features.h"

namespace ringside::perf {

struct WrittenEvent {
    perf_event_attr attributes{};
    std::string name;
    std::vector<std::uint64_t> ids;
};

class DataWriter {
  public:
    // Destroying the writer before publish() leaves what was at `path`.
    static Result<DataWriter> create(const std::string& path,
                                     const std::vector<WrittenEvent>& events,
                                     const Context& context);

    // From now on the file is at `path`, in place of what was there.
    Result<void> publish() { return draft_.publish(); }

    // Appends whole records. After a failure (a full disk) the file ends with the last records that
    // fitted, and nothing more is taken. One thread at a time.
    using Parts = std::span<const std::span<const std::byte>>;
    Result<void> append(Parts parts);
    Result<void> append(std::span<const std::byte> records) { return append(Parts(&records, 1)); }

    // Adds what is only known at the end; afterwards all of it is on the disk. Where there is no
    // room for it the records stay readable.
    Result<void> finish(const FeatureSections& features, const Context& context);

    std::uint64_t file_bytes() const { return records_end() + bytes_behind_; }

  private:
    DataWriter(std::string path, base::Draft draft)
        : path_(std::move(path)), draft_(std::move(draft)) {}

    Result<void> write_head(const std::vector<WrittenEvent>& events, const Context& context);
    Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
    void cut_back();
    std::uint64_t records_end() const { return data_offset_ + data_bytes_; }

    std::string path_;
    base::Draft draft_;
    std::uint64_t data_offset_ = 0;
    std::uint64_t data_bytes_ = 0;
    std::uint64_t bytes_behind_ = 0;  // features and context, once it is finished
    bool full_ = false;
};

}  // namespace ringside::perf
