// What `ringside record` says of a recording.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/record/record_report.h"

namespace ringside::report {
namespace {

record::Summary made_recording() {
    record::Summary summary;
    summary.progress.tally.samples = 1234;
    summary.progress.tally.lost = 5;
    summary.progress.tally.throttled = 2;
    summary.progress.tally.file_bytes = 2'345'678;
    summary.progress.elapsed_ns = 1'500'000'000;
    summary.events = {{"cycles", 5}, {"page-faults", 0}};
    summary.waits = {{"blocked on I/O", 250'000'000}};
    summary.stolen_ns = 70'000'000;
    return summary;
}

TEST(RecordReport, OneLineAndOneForEachWait) {
    EXPECT_EQ(record_text(made_recording(), "a.data"),
              "1234 samples of cycles, page-faults in 1.50 s, 5 LOST, throttled by the kernel 2 "
              "times, 2.3 MB in a.data; 0.07 s of the CPUs were stolen\n"
              "       0.250 s blocked on I/O\n");
    EXPECT_EQ(record_text({}, "b.data"), "0 samples of  in 0.00 s, none lost, 0.0 kB in b.data\n");
}

TEST(RecordReport, Json) {
    auto summary = made_recording();
    golden::expect("record.json", record_json(summary, "a.data", {"cpu-clock instead"}, 3));
    summary.progress.failure = Error{ErrorCode::io, 28, "cannot write a.data", ""};
    summary.stolen_ns = std::nullopt;
    golden::expect("record_failed.json", record_json(summary, "a.data", {}, std::nullopt));
}

TEST(RecordReport, HowFarItIs) {
    record::Progress progress = made_recording().progress;
    EXPECT_EQ(progress_text(progress),
              "recording: 2 s, 1234 samples, 2.3 MB, 5 LOST, throttled by the kernel 2 times");
    progress.failure = Error{ErrorCode::io, 28, "cannot write", ""};
    progress.tally = {};
    EXPECT_EQ(progress_text(progress),
              "recording: 2 s, 0 samples, 0.0 kB, none lost (stopped: cannot write)");
}

}  // namespace
}  // namespace ringside::report
