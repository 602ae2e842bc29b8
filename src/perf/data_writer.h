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

#include "base/fd.h"
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
    // Makes a file beside `path` that has no name of its own yet worth keeping: destroying the
    // writer before publish() removes it.
    static Result<DataWriter> create(const std::string& path,
                                     const std::vector<WrittenEvent>& events,
                                     const Context& context);
    DataWriter(DataWriter&& other) noexcept;
    DataWriter& operator=(DataWriter&&) = delete;
    ~DataWriter();

    // From now on the file is at `path`, in place of what was there.
    Result<void> publish();

    // Appends whole records. After a failure (a full disk) the file ends with the last records that
    // fitted, and nothing more is taken. One thread at a time.
    using Parts = std::span<const std::span<const std::byte>>;
    Result<void> append(Parts parts);
    Result<void> append(std::span<const std::byte> records) { return append(Parts(&records, 1)); }

    // Adds what is only known at the end. Where there is no room for it the records stay readable.
    Result<void> finish(const FeatureSections& features, const Context& context);

    std::uint64_t file_bytes() const { return records_end() + bytes_behind_; }

  private:
    DataWriter(std::string path, std::string made_as, base::Fd fd)
        : path_(std::move(path)), made_as_(std::move(made_as)), fd_(std::move(fd)) {}

    Result<void> write_head(const std::vector<WrittenEvent>& events, const Context& context);
    Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
    void cut_back();
    std::uint64_t records_end() const { return data_offset_ + data_bytes_; }

    std::string path_;
    std::string made_as_;  // the name it has until it is published; empty afterwards
    base::Fd fd_;
    std::uint64_t data_offset_ = 0;
    std::uint64_t data_bytes_ = 0;
    std::uint64_t bytes_behind_ = 0;  // features and context, once it is finished
    bool full_ = false;
};

}  // namespace ringside::perf
