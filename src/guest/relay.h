// Carries what a machine's ports say to where it belongs, while the machine runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/process.h"
#include "guest/files.h"

namespace ringside::guest {

using Sink = std::function<void(std::string_view)>;

// Calls `line` for each line, without its end, however the bytes were cut. A last line without an
// end counts when this object goes; one that is longer than `most_bytes` comes in pieces.
class LineSplitter {
  public:
    static constexpr std::size_t most_bytes = std::size_t{64} << 10;

    explicit LineSplitter(Sink line) : line_(std::move(line)) {}
    LineSplitter(const LineSplitter&) = delete;
    LineSplitter& operator=(const LineSplitter&) = delete;
    ~LineSplitter();
    void operator()(std::string_view bytes);

  private:
    Sink line_;
    std::string pending_;
};

inline constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

// What a machine writes, and what is done with the bytes.
struct Stream {
    base::Fd from;
    Sink sink;
    std::uint64_t bytes_left = any_number;  // that it may still send
};

// Of a pipe, whose other end is put into `write_end`, for the machine.
Result<Stream> make_stream(Sink sink, base::Fd& write_end, std::uint64_t most_bytes = any_number);

enum class RelayEnd { process_ended, timed_out, cancelled, sent_too_much };

// Until `process` ends and the streams are empty, it could run for `limit` without ending (see
// ServedTime), a stream had more than it may, or `cancel_fd` (-1: none) becomes readable.
RelayEnd relay(std::vector<Stream>& streams, base::Child& process, std::chrono::milliseconds limit,
               int cancel_fd);

}  // namespace ringside::guest
