#include "merge/stamp.h"

#include <bit>

namespace ringside::merge {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

}  // namespace

Stamped::Stamped(const perf::DataRecord& record, const perf::SampleLayout& layout)
    : sample_(record.type == PERF_RECORD_SAMPLE) {
    const bool identified = (layout.sample_type & PERF_SAMPLE_IDENTIFIER) != 0;
    added_ = identified ? 0 : word_bytes;
    body_.resize(record.body.size() + added_);
    std::memcpy(body_.data() + (sample_ ? added_ : 0), record.body.data(), record.body.size());
    find_fields(layout.sample_type);
}

// In samples: id, ip, tid, time, address, id, stream, CPU. Behind other records: tid, time, id,
// stream, CPU, id.
void Stamped::find_fields(std::uint64_t type) {
    const auto has = [&](std::uint64_t bit) { return (type & bit) != 0; };
    constexpr std::uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
    const std::size_t fields =
        static_cast<std::size_t>(std::popcount(
            type & (sample_ ? trailer | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR : trailer))) +
        1;
    if (body_.size() < fields * word_bytes) return;
    std::size_t at = sample_ ? word_bytes : body_.size() - fields * word_bytes;
    const auto next = [&](std::uint64_t bit) {
        const std::size_t here = at;
        if (has(bit)) at += word_bytes;
        return here;
    };
    if (sample_) next(PERF_SAMPLE_IP);
    tid_at_ = next(PERF_SAMPLE_TID);
    time_at_ = next(PERF_SAMPLE_TIME);
    if (sample_) next(PERF_SAMPLE_ADDR);
    const std::size_t id_at = next(PERF_SAMPLE_ID);
    if (has(PERF_SAMPLE_ID)) id_at_ = id_at;
    next(PERF_SAMPLE_STREAM_ID);
    cpu_at_ = next(PERF_SAMPLE_CPU);
    identifier_at_ = sample_ ? 0 : body_.size() - word_bytes;
    ok_ = true;
}

void Stamped::set_id(std::uint64_t id) {
    put(identifier_at_, id);
    if (id_at_) put(*id_at_, id);
}

}  // namespace ringside::merge
