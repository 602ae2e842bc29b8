// `ringside io`: what a command read and wrote, in total, by thread and by file.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/io/io_report.h"

namespace ringside::report {
namespace {

io_op_counts made_calls(std::uint64_t calls, std::uint64_t bytes) {
    io_op_counts op{};
    op.calls = calls;
    op.bytes = bytes;
    op.asked_bytes = 2 * bytes;
    op.short_calls = 1;
    op.timed = calls;
    op.ticks = 3'000 * calls;
    return op;
}

model::IoThread made_thread(int tid) {
    model::IoThread thread;
    thread.pid = 7;
    thread.tid = tid;
    thread.command = "tar, \"x\"\033";
    thread.counts.ops[IO_READ] = made_calls(10, 40'960);
    thread.counts.histograms[IO_READ][io_bucket(3'000)] = 10;
    thread.counts.ops[IO_SOCK_READ] = made_calls(4, 64);
    thread.counts.ops[IO_OPEN] = made_calls(2, 0);
    thread.counts.ops[IO_OPEN].errors = 1;
    return thread;
}

IoReport made_io() {
    IoReport report;
    report.command = {"tar", "cf", "a b"};
    report.exit_code = 2;
    report.method = "preload";
    report.reason = "it is dynamically linked";
    report.seconds = 1.5;
    report.record.threads = {made_thread(7), made_thread(0)};
    report.record.programs = 2;
    report.record.ns_per_tick = 0.5;
    report.record.files.resize(3);
    report.record.files[1].path = "/tmp/small";
    report.record.files[1].counts.read_calls = 1;
    report.record.files[1].counts.read_bytes = 10;
    report.record.files[2].path = "/tmp/large\n";
    report.record.files[2].counts.write_calls = 3;
    report.record.files[2].counts.write_bytes = 5'000'000;
    report.record.files[2].counts.write_ticks = 8'000'000;
    return report;
}

TEST(IoReport, Text) {
    IoReport report = made_io();
    golden::expect("io.txt", io_text(report, Style(nullptr)));
    report.per_thread = true;
    golden::expect("io_threads.txt", io_text(report, Style(nullptr)));
    EXPECT_EQ(io_text({}, Style(nullptr)), "\nno I/O\n\ncounted by  (), 0 threads, 0.000 s\n");
}

TEST(IoReport, OnlyTenFilesUnlessAllAreAskedFor) {
    IoReport report;
    report.record.files.resize(12, made_io().record.files[1]);
    EXPECT_NE(io_text(report, Style(nullptr)).find("2 more; --files shows all"), std::string::npos);
    report.all_files = true;
    EXPECT_EQ(io_text(report, Style(nullptr)).find("more"), std::string::npos);
}

TEST(IoReport, FilesByWhatIsAskedFor) {
    IoReport report = made_io();
    report.record.files[1].counts.read_calls = 100;
    report.sort = IoSort::calls;
    EXPECT_EQ(sorted_files(report)[0].path, "/tmp/small");
    report.sort = IoSort::bytes;
    EXPECT_EQ(sorted_files(report)[0].path, "/tmp/large\n");
    EXPECT_EQ(sorted_files(report)[2].path, "") << "those without a name come last";
}

TEST(IoReport, CsvAndJson) {
    golden::expect("io.csv", io_csv(made_io()));
    golden::expect("io.json", io_json(made_io()));
}

}  // namespace
}  // namespace ringside::report
