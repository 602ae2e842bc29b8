#include "kvm_stat/load.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "kvm_stat/time_order.h"
#include "perf/data_file.h"

namespace ringside::kvm_stat {

namespace {

class Loading {
  public:
    explicit Loading(const perf::DataFile& file)
        : file_(file),
          decoder_(file.tracepoints()),
          order_([this](const Passage& passage) { account_.take(passage); }) {
        const auto& pieces = file.pieces();
        several_sources_ = std::any_of(pieces.begin(), pieces.end(), [&](const auto& piece) {
            return piece.source != pieces.front().source;
        });
    }

    Result<void> run() {
        if (auto done = check(); !done) return done;
        std::vector<std::byte> buffer;
        for (const auto& piece : file_.pieces()) {
            auto done =
                file_.read(piece, buffer, [this](const perf::DataRecord& record) { take(record); });
            if (!done) return done;
        }
        order_.hand_on_all();
        return {};
    }

    void finish(Measurement& result) const {
        result.vcpus = account_.stats();
        result.passages = passages_;
        if (passages_ > 0) result.duration_ns = last_ns_ - first_ns_;
        if (unreadable_ > 0)
            result.warnings.push_back(
                fmt::format("{} samples are shorter than their format says", unreadable_));
    }

  private:
    Result<void> check() const {
        if (decoder_.knows_entry() && decoder_.knows_exit()) return {};
        const bool recorded = std::any_of(
            file_.events().begin(), file_.events().end(),
            [](const auto& event) { return event.attributes.type == PERF_TYPE_TRACEPOINT; });
        if (recorded && file_.tracepoints().empty())
            return base::fail(ErrorCode::bad_input,
                              "the file does not say how its tracepoints are laid out",
                              "its recorder was killed before it wrote that; record again");
        return base::fail(ErrorCode::bad_input,
                          "kvm:kvm_entry and kvm:kvm_exit were not both recorded",
                          "`ringside kvm stat record` and `perf kvm stat record` record them");
    }

    void take(const perf::DataRecord& record) {
        // Marks of one file say nothing about what lies in another.
        if (record.type == perf::record_finished_round && !several_sources_) order_.end_round();
        if (record.type != PERF_RECORD_SAMPLE) return;
        const auto& event = file_.events()[file_.event_of(record)];
        if (event.attributes.type != PERF_TYPE_TRACEPOINT) return;
        const auto sample =
            perf::decode_full_sample(record.body, record.misc, event.layout, file_.order());
        const auto passage = sample
                                 ? decoder_.decode(event.attributes.config, *sample, file_.order())
                                 : std::nullopt;
        if (!passage) {
            unreadable_ += event.name.starts_with("kvm:kvm_exit") ? 1 : 0;
            return;
        }
        first_ns_ = std::min(first_ns_, passage->time_ns);
        last_ns_ = std::max(last_ns_, passage->time_ns);
        ++passages_;
        order_.add(*passage);
    }

    const perf::DataFile& file_;
    PassageDecoder decoder_;
    Account account_;
    TimeOrder order_;
    bool several_sources_ = false;
    std::uint64_t passages_ = 0;
    std::uint64_t unreadable_ = 0;
    std::uint64_t first_ns_ = UINT64_MAX;
    std::uint64_t last_ns_ = 0;
};

// Names and losses, which lie between the samples.
void take_side(const perf::DataFile& file, const perf::DataRecord& record, Measurement& result) {
    perf::FieldCursor cursor(record.body, file.order());
    if (record.type == PERF_RECORD_LOST_SAMPLES) result.lost += cursor.u64();
    if (record.type == PERF_RECORD_LOST) {
        cursor.u64();  // of which event
        result.lost += cursor.u64();
    }
    if (record.type != PERF_RECORD_COMM) return;
    cursor.u32();  // process
    const std::uint32_t tid = cursor.u32();
    const std::string name(cursor.text());
    if (cursor.ok()) result.names[tid] = name;
}

}  // namespace

Result<Measurement> load(const std::string& path) {
    Measurement result;
    const auto file =
        perf::DataFile::open(path, [&](const perf::DataFile& of, const perf::DataRecord& record) {
            take_side(of, record, result);
        });
    if (!file) return file.error();
    Loading loading(*file);
    if (auto done = loading.run(); !done) {
        Error error = done.error();
        error.what = path + ": " + error.what;
        return error;
    }
    result.warnings = file->warnings();
    loading.finish(result);
    return result;
}

}  // namespace ringside::kvm_stat
