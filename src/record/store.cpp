#include "record/store.h"

#include <algorithm>
#include <cstring>

#include "perf/record_encoder.h"

namespace ringside::record {

namespace {

// Reads across the seam between the two parts.
class Seam {
  public:
    explicit Seam(const perf::RingBuffer::Unread& parts) : parts_(parts) {}

    std::size_t size() const { return parts_[0].size() + parts_[1].size(); }
    void copy(std::size_t at, std::size_t count, std::byte* to) const {
        const std::size_t first = parts_[0].size();
        const std::size_t before = at >= first ? 0 : std::min(count, first - at);
        if (before > 0) std::memcpy(to, parts_[0].data() + at, before);
        if (before < count)
            std::memcpy(to + before, parts_[1].data() + (at + before - first), count - before);
    }
    template <typename T>
    T read(std::size_t at) const {
        T value{};
        copy(at, sizeof value, reinterpret_cast<std::byte*>(&value));
        return value;
    }

  private:
    const perf::RingBuffer::Unread& parts_;
};

// Behind the record's header: the event's id, ip, pid and tid, then the time.
constexpr std::size_t sample_time_at = sizeof(perf_event_header) + 3 * sizeof(std::uint64_t);
constexpr std::size_t lost_count_at = sizeof(perf_event_header) + sizeof(std::uint64_t);

template <typename Visit>
void for_each_record(const Seam& bytes, const Visit& visit) {
    std::size_t at = 0;
    while (at + sizeof(perf_event_header) <= bytes.size()) {
        const auto header = bytes.read<perf_event_header>(at);
        if (header.size < sizeof header || header.size > bytes.size() - at) return;
        visit(at, header);
        at += header.size;
    }
}

// Whether a record is a sample of a process that is not in `pids`. A process that one of them
// starts joins them.
bool is_of_others(const Seam& bytes, std::size_t at, const perf_event_header& header,
                  std::unordered_set<std::uint32_t>& pids) {
    const std::size_t body = at + sizeof header;
    if (header.type == PERF_RECORD_FORK && header.size >= sizeof header + 8) {
        const auto parent = bytes.read<std::uint32_t>(body + sizeof(std::uint32_t));
        if (pids.contains(parent)) pids.insert(bytes.read<std::uint32_t>(body));
    }
    constexpr std::size_t pid_at = 2 * sizeof(std::uint64_t);  // behind the event's id and ip
    if (header.type != PERF_RECORD_SAMPLE || header.size < sizeof header + pid_at + 4) return false;
    return !pids.contains(bytes.read<std::uint32_t>(body + pid_at));
}

void count_sample(const Seam& bytes, std::size_t at, const perf_event_header& header,
                  Tally& tally) {
    ++tally.samples;
    if (header.size < sample_time_at + sizeof(std::uint64_t)) return;
    const auto time_ns = bytes.read<std::uint64_t>(at + sample_time_at);
    if (tally.first_sample_ns == 0 || time_ns < tally.first_sample_ns)
        tally.first_sample_ns = time_ns;
    tally.last_sample_ns = std::max(tally.last_sample_ns, time_ns);
    tally.kernel =
        tally.kernel || (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

}  // namespace

void count_records(const perf::RingBuffer::Unread& records, Tally& tally) {
    const Seam bytes(records);
    for_each_record(bytes, [&](std::size_t at, const perf_event_header& header) {
        if (header.type == PERF_RECORD_SAMPLE) count_sample(bytes, at, header, tally);
        if (header.type == PERF_RECORD_LOST && header.size >= lost_count_at + 8)
            tally.lost += bytes.read<std::uint64_t>(at + lost_count_at);
        if (header.type == PERF_RECORD_THROTTLE) ++tally.throttled;
    });
}

void Store::append(perf::DataWriter::Parts parts) {
    if (failure_) return;
    if (auto done = writer_.append(parts); !done) failure_ = done.error();
    written_since_mark_ = true;
}

void Store::take(perf::RingBuffer& ring) {
    const auto unread = ring.unread();
    if (unread[0].empty()) return;
    take(unread);
    ring.release(unread);
}

void Store::take(const perf::RingBuffer::Unread& records) {
    const std::lock_guard lock(mutex_);
    if (only_.empty()) return write(records);
    const auto own = filtered(records);
    write({own, {}});
}

void Store::write(const perf::RingBuffer::Unread& records) {
    append(records);
    if (!failure_) count_records(records, tally_);
}

std::vector<std::byte> Store::filtered(const perf::RingBuffer::Unread& records) {
    const Seam bytes(records);
    std::vector<std::byte> own;
    for_each_record(bytes, [&](std::size_t at, const perf_event_header& header) {
        if (is_of_others(bytes, at, header, only_)) return;
        own.resize(own.size() + header.size);
        bytes.copy(at, header.size, own.data() + own.size() - header.size);
    });
    return own;
}

void Store::add(std::span<const std::byte> records) {
    const std::lock_guard lock(mutex_);
    append(perf::DataWriter::Parts(&records, 1));
}

void Store::pass_begins(std::size_t reader) {
    const std::lock_guard lock(mutex_);
    began_[reader] = true;
}

void Store::pass_ends(std::size_t reader) {
    const std::lock_guard lock(mutex_);
    // A pass that was under way when the last mark was written may have missed something older.
    passed_[reader] = passed_[reader] || began_[reader];
    if (std::find(passed_.begin(), passed_.end(), false) != passed_.end()) return;
    passed_.assign(passed_.size(), false);
    began_.assign(began_.size(), false);
    if (!written_since_mark_) return;
    base::ByteWriter mark;
    perf::encode_finished_round(mark);
    const auto bytes = mark.bytes();
    append(perf::DataWriter::Parts(&bytes, 1));
    written_since_mark_ = false;
}

Tally Store::tally() const {
    const std::lock_guard lock(mutex_);
    Tally tally = tally_;
    tally.file_bytes = writer_.file_bytes();
    return tally;
}

std::optional<Error> Store::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

}  // namespace ringside::record
