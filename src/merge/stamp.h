// Where a record says whose and when it is, so that this can be changed in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "perf/data_record.h"
#include "perf/sample.h"

namespace ringside::merge {

// The body of a record whose event's id stands at the place that all events of a merged file share
// (PERF_SAMPLE_IDENTIFIER): the first word of samples, the last of other records.
class Stamped {
  public:
    Stamped(const perf::DataRecord& record, const perf::SampleLayout& layout);

    // False if the record is too short for what its event says.
    bool ok() const { return ok_; }
    std::uint64_t time_ns() const { return get(time_at_); }
    std::uint32_t cpu() const { return static_cast<std::uint32_t>(get(cpu_at_)); }
    std::uint32_t pid() const { return static_cast<std::uint32_t>(get(tid_at_)); }

    // As the record had it; 0 where it had none.
    std::uint64_t id() const { return get(id_at_ ? *id_at_ : identifier_at_); }

    void set_id(std::uint64_t id);
    void set_time(std::uint64_t time_ns) { put(time_at_, time_ns); }
    void set_cpu(std::uint32_t cpu) { put(cpu_at_, cpu); }
    // Any word of the body, by its place in the record as it was read.
    void put_word(std::size_t at, std::uint64_t value) { put(at + (sample_ ? added_ : 0), value); }
    std::uint64_t word(std::size_t at) const { return get(at + (sample_ ? added_ : 0)); }

    std::vector<std::byte> take() && { return std::move(body_); }

  private:
    void find_fields(std::uint64_t type);
    std::uint64_t get(std::size_t at) const {
        std::uint64_t value = 0;
        std::memcpy(&value, body_.data() + at, sizeof value);
        return value;
    }
    void put(std::size_t at, std::uint64_t value) {
        std::memcpy(body_.data() + at, &value, sizeof value);
    }

    bool sample_;
    bool ok_ = false;
    std::size_t added_ = 0;  // bytes of an id that was not there
    std::vector<std::byte> body_;
    std::size_t identifier_at_ = 0;
    std::size_t tid_at_ = 0;
    std::size_t time_at_ = 0;
    std::size_t cpu_at_ = 0;
    std::optional<std::size_t> id_at_;  // PERF_SAMPLE_ID, the same once more
};

}  // namespace ringside::merge
