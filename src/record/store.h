// Where the reader threads put what they take out of the ring buffers: the file, one after the
// other, with a count of what went by.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include <ringside/result.h>

#include "perf/data_writer.h"
#include "perf/ring_buffer.h"

namespace ringside::record {

struct Tally {
    std::uint64_t samples = 0;
    std::uint64_t lost = 0;       // records that the kernel had no room for
    std::uint64_t throttled = 0;  // times that the kernel stopped an event which took too long
    std::uint64_t first_sample_ns = 0;
    std::uint64_t last_sample_ns = 0;
    std::uint64_t file_bytes = 0;
    bool kernel = false;  // some sample was taken in the kernel, or may lead there
};

// Counts what whole records say, in two parts as a ring buffer gives them. Pure.
void count_records(const perf::RingBuffer::Unread& records, Tally& tally);

class Store {
  public:
    Store(perf::DataWriter writer, std::size_t readers)
        : writer_(std::move(writer)), passed_(readers, false) {}

    // Leaves out the samples of all other processes, but not of what these start.
    void keep_only(std::unordered_set<std::uint32_t> pids) { only_ = std::move(pids); }

    // Moves what is in the buffer to the file. Nothing is written after a failure.
    void take(perf::RingBuffer& ring);
    void take(const perf::RingBuffer::Unread& records);
    // Records of our own making, which are not counted.
    void add(std::span<const std::byte> records);

    // A reader went through all of its buffers. perf sorts what lies between two marks: once every
    // reader has passed since the last mark, nothing older than that mark can still come.
    void pass_begins(std::size_t reader);
    void pass_ends(std::size_t reader);

    Tally tally() const;
    std::optional<Error> failure() const;
    // When nobody reads any more.
    perf::DataWriter& writer() { return writer_; }

  private:
    void append(perf::DataWriter::Parts parts);
    void write(const perf::RingBuffer::Unread& records);
    std::vector<std::byte> filtered(const perf::RingBuffer::Unread& records);

    mutable std::mutex mutex_;
    perf::DataWriter writer_;
    std::vector<bool> passed_;
    std::vector<bool> began_ = std::vector<bool>(passed_.size(), false);
    std::unordered_set<std::uint32_t> only_;  // empty: everybody
    bool written_since_mark_ = false;
    Tally tally_;
    std::optional<Error> failure_;
};

}  // namespace ringside::record
