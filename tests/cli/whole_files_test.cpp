// Every file that a verb writes is on the disk before it has its name, and its name is before the
// verb ends: what a power cut leaves is the old file or the new one. strace tells.
#include <filesystem>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../scratch.h"
#include "base/process.h"

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// What happened to the files below a folder, in order; names are whole paths.
struct Happened {
    enum What { written, synced, named } what;
    std::string file;
    std::string name;  // that it got
};

// "123 renameat(4</d>, "a.x", 4</d>, "a") = 0", with -y.
std::vector<Happened> parse_trace(const std::string& path) {
    static const std::regex on_file(R"(^\d+ +(\w+)\(\d+<([^>]*)>.* = \d+.*$)");
    static const std::regex renamed(
        R"re(^\d+ +(?:renameat|linkat)\(\d+<([^>]*)>, "([^"]*)", \d+<[^>]*>, "([^"]*)".* = 0.*$)re");
    std::vector<Happened> all;
    std::ifstream file(path);
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
        if (std::regex_match(line, match, renamed)) {
            const std::string folder = match[1].str() + "/";
            all.push_back({Happened::named, folder + match[2].str(), folder + match[3].str()});
        } else if (std::regex_match(line, match, on_file)) {
            const bool sync = match[1].str() == "fsync";
            all.push_back({sync ? Happened::synced : Happened::written, match[2], {}});
        }
    }
    return all;
}

// Empty if `file` came to be as it should.
std::string fault_of(const std::string& file, const std::vector<Happened>& trace) {
    std::string called;  // what it is called at that time
    bool on_disk = false;
    bool name_on_disk = false;
    for (const auto& happened : trace) {
        if (happened.what == Happened::named && happened.name == file) {
            for (const auto& earlier : trace) {
                if (&earlier == &happened) break;
                if (earlier.file != happened.file) continue;
                if (earlier.what == Happened::written) on_disk = false;
                if (earlier.what == Happened::synced) on_disk = true;
            }
            if (!on_disk) return "had its name before it was on the disk";
            called = file;
            name_on_disk = false;
        } else if (!called.empty() && happened.file == called) {
            if (happened.what == Happened::written) on_disk = false;
            if (happened.what == Happened::synced) on_disk = true;
        } else if (!called.empty() && happened.what == Happened::synced &&
                   happened.file == fs::path(file).parent_path()) {
            name_on_disk = true;
        }
    }
    if (called.empty()) return "was not written under another name first";
    if (!on_disk) return "was written to and not brought to the disk";
    return name_on_disk ? "" : "has a name that is not on the disk";
}

// What is written while a command runs, by the command or from minute to minute.
bool grows_while_it_is_there(const fs::path& file) {
    return file.filename() == "stdout" || file.filename() == "stderr";
}

class WholeFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!base::run({"strace", "-V"})) GTEST_SKIP() << "no strace here";
        top_ = scratch::file("disk");
        fs::remove_all(top_);
        fs::create_directories(top_ / "out");
    }
    std::string out(const std::string& name) const { return (top_ / "out" / name).string(); }

    // Runs it, and looks at all that is in the folder afterwards. How many files that were.
    int check(const Words& words) {
        const std::string trace = (top_ / "trace").string();
        Words argv{"env",
                   "XDG_CACHE_HOME=" + out("cache"),
                   "strace",
                   "-f",
                   "-qq",
                   "-y",
                   "-s",
                   "4096",
                   "-e",
                   "trace=write,pwrite64,fsync,rename,renameat,renameat2,linkat",
                   "-o",
                   trace,
                   RINGSIDE_COMMAND};
        argv.insert(argv.end(), words.begin(), words.end());
        const auto ended = base::run(argv, std::chrono::minutes(5));
        EXPECT_TRUE(ended);
        if (!ended) return 0;
        EXPECT_EQ(ended->status.shell_code(), 0) << ended->stderr_text;
        const auto happened = parse_trace(trace);
        int files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(top_ / "out")) {
            if (!entry.is_regular_file() || grows_while_it_is_there(entry.path())) continue;
            ++files;
            EXPECT_EQ(fault_of(entry.path(), happened), "") << entry.path();
        }
        return files;
    }

    fs::path top_;
};

TEST_F(WholeFiles, OfCounts) {
    EXPECT_EQ(check({"stat", "--json", "-o", out("stat.json"), "--", "true"}), 1);
    fs::remove(out("stat.json"));
    EXPECT_EQ(check({"stat", "--csv", "-o", out("stat.csv"), "--", "true"}), 1);
}

TEST_F(WholeFiles, OfRecordingsAndTheirExports) {
    const std::string recording = (top_ / "perf.data").string();
    EXPECT_GE(check({"record", "-e", "cpu-clock", "-o", out("perf.data"), "--", "true"}), 1);
    fs::rename(out("perf.data"), recording);
    fs::remove_all(top_ / "out");
    fs::create_directories(top_ / "out");
    EXPECT_EQ(check({"report", "-i", recording, "--json", "-o", out("report.json")}), 1);
    fs::remove(out("report.json"));
    EXPECT_EQ(check({"export", "-i", recording, "-o", out("speedscope.json"), "speedscope"}), 1);
}

TEST_F(WholeFiles, OfAComparison) {
    EXPECT_GE(check({"compare", "--no-trace", "-r", "2", "--keep", out("kept"), "--on", "a=native",
                     "--on", "b=native", "-o", out("page.html"), "--", "true"}),
              10);
    const std::string kept = (top_ / "kept").string();
    fs::rename(out("kept"), kept);
    fs::remove_all(top_ / "out");
    fs::create_directories(top_ / "out");
    EXPECT_EQ(check({"compare", "--chart", "time=" + out("chart.svg"), kept}), 1);
}

}  // namespace
}  // namespace ringside::cli
