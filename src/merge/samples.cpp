#include "merge/samples.h"

#include "base/error.h"

namespace ringside::merge {

Result<void> check_samples(const perf::DataFile& file, const std::string& path) {
    if (file.order() != perf::ByteOrder::same)
        return base::fail(ErrorCode::bad_input,
                          path + " was recorded on a machine of the other byte order",
                          "merge on a machine like the one that recorded");
    for (const auto& event : file.events()) {
        constexpr std::uint64_t wanted = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_TID;
        if ((event.layout.sample_type & wanted) == wanted && event.layout.sample_id_all) continue;
        return base::fail(
            ErrorCode::bad_input,
            path + ": the samples of " + event.name + " say no time, thread or CPU",
            "record with ringside record, or with perf record --timestamp --sample-cpu");
    }
    return {};
}

Result<void> for_samples(const perf::DataFile& file, const TakeSample& take) {
    std::vector<std::byte> buffer;
    const auto each = [&](const perf::DataRecord& record) {
        if (record.type != PERF_RECORD_SAMPLE) return;
        const std::size_t event = file.event_of(record);
        const auto sample = perf::decode_full_sample(record.body, record.misc,
                                                     file.events()[event].layout, file.order());
        if (sample) take(event, *sample);
    };
    for (const auto& piece : file.pieces())
        if (auto done = file.read(piece, buffer, each); !done) return done.error();
    return {};
}

}  // namespace ringside::merge
