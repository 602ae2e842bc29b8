// Recordings end to end: perf reads them without complaint, and so do we, whatever happened to the
// recorder.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "base/process.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

// Computes for a while, in the program's own code and in the kernel's.
const Words busy{"sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); : < /dev/null; done"};

base::CommandOutput run(const Words& argv) {
    auto output = base::run(argv);
    EXPECT_TRUE(output) << output.error().what;
    return output ? *output : base::CommandOutput{};
}

class Recording : public ::testing::Test {
  protected:
    Recording() { fs::create_directories(folder_); }
    ~Recording() override { fs::remove_all(folder_); }

    std::string file(const std::string& name = "x.data") const { return folder_ + "/" + name; }

    Words record(Words options, const Words& command) const {
        Words argv{RINGSIDE_COMMAND, "record", "-o", file()};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.push_back("--");
        argv.insert(argv.end(), command.begin(), command.end());
        return argv;
    }
    nlohmann::json recorded(Words options, const Words& command) const {
        options.push_back("--json");
        const auto output = run(record(options, command));
        EXPECT_EQ(output.status.code, 0) << output.stderr_text;
        return nlohmann::json::parse(output.stdout_text, nullptr, false);
    }
    nlohmann::json report(const std::string& path) const {
        const auto output = run({RINGSIDE_COMMAND, "report", "--json", "-i", path});
        EXPECT_EQ(output.status.code, 0) << output.stderr_text;
        return nlohmann::json::parse(output.stdout_text, nullptr, false);
    }
    static bool has_perf() { return fs::exists("/usr/bin/perf"); }
    static bool is_root() { return ::geteuid() == 0; }

    // perf's output; it must end well and say nothing that sounds like trouble.
    static std::string read_by_perf(const Words& arguments) {
        Words argv{"perf"};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        const auto output = run(argv);
        EXPECT_EQ(output.status.code, 0) << output.stderr_text;
        for (const char* trouble : {"arning", "WARNING", "rror", "ailed", "ncompatible", "nvalid",
                                    "roken", "nknown feature", "runcated"})
            EXPECT_THAT(output.stderr_text, Not(HasSubstr(trouble)));
        return output.stdout_text;
    }
    void expect_perf_reads(const std::string& event) const {
        EXPECT_THAT(read_by_perf({"report", "--stdio", "--no-inline", "-i", file()}),
                    HasSubstr(event));
        EXPECT_THAT(read_by_perf({"report", "--stdio", "--header-only", "-i", file()}),
                    HasSubstr("captured on"));
        EXPECT_THAT(read_by_perf({"script", "--no-inline", "-i", file()}), HasSubstr(event));
        read_by_perf({"diff", file(), file()});
        read_by_perf(
            {"kvm", "--host", "--guest", "report", "--stdio", "--no-inline", "-i", file()});
    }

    std::string folder_ = ::testing::TempDir() + "ringside_record_" + std::to_string(::getpid());
};

TEST_F(Recording, IsReadByPerf) {
    if (!has_perf()) GTEST_SKIP() << "no perf (package linux-perf)";
    const auto summary = recorded({"-g", "-F", "2000"}, busy);
    EXPECT_GT(summary["samples"], 10);
    EXPECT_EQ(summary["lost"], 0);
    expect_perf_reads(summary["events"][0]["name"]);
}

TEST_F(Recording, OfSeveralEventsAndDwarfStacksIsReadByPerf) {
    if (!has_perf()) GTEST_SKIP() << "no perf (package linux-perf)";
    const auto summary = recorded(
        {"--call-graph", "dwarf,4096", "-e", "cpu-clock:u,page-faults", "-e", "task-clock"}, busy);
    EXPECT_EQ(summary["events"].size(), 3u);
    EXPECT_GT(summary["samples"], 10);
    expect_perf_reads("cpu-clock:u");
    expect_perf_reads("page-faults");
}

TEST_F(Recording, OfTheWholeMachineForItsGuestsIsReadByPerf) {
    if (!has_perf() || !is_root()) GTEST_SKIP() << "needs perf and root";
    const auto summary = recorded({"-a", "--guest", "-e", "cpu-clock"}, busy);
    EXPECT_GT(summary["samples"], 10);
    expect_perf_reads("cpu-clock");
    EXPECT_THAT(read_by_perf({"report", "--stdio", "--sort", "comm", "-i", file()}),
                HasSubstr("sh"));
}

TEST_F(Recording, OfTracepointsIsReadByPerf) {
    if (!has_perf() || !fs::exists("/sys/kernel/tracing/events/sched"))
        GTEST_SKIP() << "needs perf, and a tracefs that can be read";
    recorded({"-e", "sched:sched_process_exec"}, {"sh", "-c", "/bin/true; /bin/true"});
    EXPECT_THAT(read_by_perf({"script", "-i", file()}), HasSubstr("filename=/bin/true"));
}

// perf and we count the same samples.
TEST_F(Recording, HeedsTheFilterOfATracepoint) {
    if (!is_root()) GTEST_SKIP() << "tracepoints are root's";
    recorded({"-e", "sched:sched_process_fork,sched:sched_process_fork{parent_pid == 1}"},
             {"sh", "-c", "/bin/true; /bin/true"});
    const auto events = report(file())["events"];
    ASSERT_EQ(events.size(), 2u);
    EXPECT_GE(events[0]["samples"], 2);
    EXPECT_EQ(events[1]["samples"], 0);
}

// The kernel is handed an address of the recorder, which nobody else can use.
TEST_F(Recording, OfAProbeHasNoAddressOfTheRecorder) {
    if (!is_root()) GTEST_SKIP() << "probes are root's";
    if (!fs::exists("/sys/bus/event_source/devices/kprobe")) GTEST_SKIP() << "no kprobes here";
    if (!has_perf()) GTEST_SKIP() << "needs perf";
    const auto output = run(record({"-e", "kprobe:do_exit"}, {"sh", "-c", "/bin/true; true"}));
    ASSERT_EQ(output.status.code, 0) << output.stderr_text;
    EXPECT_GE(report(file())["events"][0]["samples"], 1);
    const auto header = run({"perf", "evlist", "-v", "-i", file()});
    EXPECT_THAT(header.stdout_text, Not(HasSubstr("config1")));
}

TEST_F(Recording, HasTheSamplesThatTheSummarySays) {
    const auto summary = recorded({"-g"}, busy);
    const auto rows = report(file());
    EXPECT_EQ(rows["warnings"].size(), 0u) << rows["warnings"];
    EXPECT_EQ(rows["events"][0]["samples"], summary["samples"]);
    if (!has_perf()) GTEST_SKIP() << "no perf (package linux-perf)";
    const std::string script = read_by_perf({"script", "-F", "ip,sym", "-G", "-i", file()});
    EXPECT_EQ(std::count(script.begin(), script.end(), '\n'), summary["samples"]);
}

TEST_F(Recording, OfAKilledRecorderIsReadable) {
    base::SpawnOptions options;
    const base::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    options.stdout_fd = options.stderr_fd = nothing.get();
    auto recorder = base::spawn(
        record({"-F", "5000"}, {"timeout", "60", "sh", "-c", "while :; do :; done"}), options);
    ASSERT_TRUE(recorder) << recorder.error().what;
    const auto has_samples = [&] {
        return fs::exists(file()) && report(file())["events"][0]["samples"] > 50;
    };
    while (!has_samples()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto children = run({"pgrep", "-P", std::to_string(recorder->pid())});
    ::kill(recorder->pid(), SIGKILL);
    ASSERT_TRUE(recorder->wait());
    ::kill(std::stoi(children.stdout_text), SIGTERM);
    const auto rows = report(file());
    EXPECT_GT(rows["events"][0]["samples"], 50);
    EXPECT_EQ(rows["warnings"].size(), 0u) << rows["warnings"];
    if (!has_perf()) GTEST_SKIP() << "no perf (package linux-perf)";
    EXPECT_THAT(read_by_perf({"report", "--stdio", "-i", file()}), HasSubstr("Samples"));
}

TEST_F(Recording, OfAnInterruptedRecorderIsFinished) {
    base::SpawnOptions options;
    const base::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    options.stdout_fd = options.stderr_fd = nothing.get();
    const std::string ours = std::to_string(::getpid());
    auto recorder = base::spawn({RINGSIDE_COMMAND, "record", "-p", ours, "-o", file()}, options);
    ASSERT_TRUE(recorder);
    while (!fs::exists(file())) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    recorder->send_signal(SIGINT);
    const auto status = recorder->wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(status->shell_code(), 0);
    const auto rows = report(file());
    EXPECT_EQ(rows["warnings"].size(), 0u) << rows["warnings"];
}

// In a mount namespace of its own, so that the small disk goes away by itself.
TEST_F(Recording, OnAFullDiskKeepsWhatFitted) {
    if (!is_root()) GTEST_SKIP() << "needs root for a small disk";
    const std::string script =
        "mount -t tmpfs -o size=256k none " + folder_ +
        " || exit 77; " RINGSIDE_COMMAND " record -F 9000 -g -e cpu-clock -o " + file() +
        " -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; echo went on'; "
        "echo exit $?; " RINGSIDE_COMMAND " report --json -i " +
        file();
    const auto output = run({"unshare", "-m", "sh", "-c", script});
    if (output.status.code == 77 || output.stderr_text.starts_with("unshare: ")) {
        GTEST_SKIP() << "cannot mount: " << output.stderr_text;
    }
    EXPECT_THAT(output.stdout_text, HasSubstr("went on"));
    EXPECT_THAT(output.stdout_text, HasSubstr("exit 125"));
    EXPECT_THAT(output.stderr_text, HasSubstr("No space left on device"));
    const auto rows = nlohmann::json::parse(output.stdout_text.substr(output.stdout_text.find('{')),
                                            nullptr, false);
    EXPECT_GT(rows["events"][0]["samples"], 100);
    EXPECT_EQ(rows["warnings"].size(), 0u) << rows["warnings"];
}

// A binary that exists in another mount namespace only is still identified.
TEST_F(Recording, FindsBuildIdsInOtherMountNamespaces) {
    if (!is_root() || !has_perf()) GTEST_SKIP() << "needs root and perf";
    const std::string hidden = folder_ + "/hidden";
    fs::create_directories(hidden);
    const std::string script = "mount -t tmpfs none " + hidden + " || exit 77; cp " +
                               RINGSIDE_MANY_THREADS + " " + hidden + "/prog; " + hidden +
                               "/prog 30000 2 & echo $!; wait";
    base::SpawnOptions options;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const base::Fd read_end(ends[0]);
    base::Fd write_end(ends[1]);
    options.stdout_fd = write_end.get();
    auto container = base::spawn({"unshare", "-m", "sh", "-c", script}, options);
    ASSERT_TRUE(container);
    write_end.reset();
    char text[32]{};
    if (::read(read_end.get(), text, sizeof text - 1) <= 0) GTEST_SKIP() << "cannot mount";
    const std::string pid = std::to_string(std::stoi(text));
    while (!fs::exists("/proc/" + pid + "/exe") ||
           fs::read_symlink("/proc/" + pid + "/exe") != hidden + "/prog")
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto output =
        run({RINGSIDE_COMMAND, "record", "-p", pid, "-o", file(), "--", "sleep", "0.1"});
    EXPECT_EQ(output.status.code, 0) << output.stderr_text;
    EXPECT_FALSE(fs::exists(hidden + "/prog"));
    const std::string notes = run({"readelf", "-n", RINGSIDE_MANY_THREADS}).stdout_text;
    const std::string mark = "Build ID: ";
    ASSERT_THAT(notes, HasSubstr(mark));
    const std::string id = notes.substr(notes.find(mark) + mark.size(), 40);
    EXPECT_THAT(read_by_perf({"script", "--show-mmap-events", "-i", file()}), HasSubstr(id));
}

TEST_F(Recording, KeepsWhatTheHostTookMeanwhile) {
    const auto summary = recorded({}, {"sleep", "0.6"});
    const auto whole = report(file());
    if (summary["stolen_ns"].is_null()) {
        EXPECT_TRUE(whole["steal"].is_null());
        EXPECT_TRUE(whole["steal_reason"].is_string());
        return;
    }
    const auto steal = whole["steal"];
    EXPECT_GE(steal["cpus"], 1);
    EXPECT_GE(steal["readings"].size(), 2u * steal["cpus"].get<std::size_t>());
    EXPECT_LE(steal["stolen_ns"], summary["stolen_ns"]);
    EXPECT_THAT(run({RINGSIDE_COMMAND, "report", "-i", file()}).stdout_text,
                HasSubstr("# stolen by the host: "));
}

TEST_F(Recording, FollowsManyThreads) {
    const auto summary = recorded({}, {RINGSIDE_MANY_THREADS, "20000", "1000"});
    EXPECT_EQ(summary["exit_code"], 0);
    EXPECT_GT(summary["samples"], 0);
    EXPECT_EQ(report(file())["events"][0]["samples"], summary["samples"]);
}

TEST_F(Recording, TellsWhatAThreadWaitedFor) {
    if (!is_root() || !fs::exists("/sys/kernel/btf/vmlinux"))
        GTEST_SKIP() << "needs root and a kernel with BTF";
    const auto summary = recorded({"--off-cpu", "-g"}, {"sleep", "0.3"});
    ASSERT_EQ(summary["waits"].size(), 5u);
    EXPECT_EQ(summary["waits"][0]["name"], "off-cpu:sleeping");
    EXPECT_GE(summary["waits"][0]["total_ns"], 250'000'000) << "sleep sleeps 0.3 s";
    EXPECT_EQ(summary["waits"][4]["name"], "stolen");
    const auto rows = report(file());
    EXPECT_EQ(rows["events"][1]["name"], "off-cpu:sleeping");
    EXPECT_GT(rows["events"][1]["samples"], 0);
    EXPECT_EQ(rows["events"][1]["rows"][0]["comm"], "sleep");
    if (has_perf()) expect_perf_reads("off-cpu:sleeping");
}

}  // namespace
}  // namespace ringside
