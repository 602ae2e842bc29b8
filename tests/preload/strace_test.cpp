// The same program under strace and under `ringside io`: strace is the independent truth about what
// its system calls were.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/process.h"
#include "base/text.h"

namespace ringside::preload {
namespace {

namespace fs = std::filesystem;

struct Truth {
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
    std::uint64_t bytes = 0;
};
using Truths = std::map<std::string, Truth>;

struct Syscall {
    std::string op;
    std::string shape;
};

std::map<std::string, Syscall> traced_calls() {
    std::map<std::string, Syscall> calls;
    for (const auto& row : base::parse_csv(base::embedded_file("io/syscalls.csv").value())) {
        if (row[0] != "name") calls[row[0]] = {row[1], row[2]};
    }
    return calls;
}

void add(Truth& truth, const Syscall& call, std::int64_t result) {
    ++truth.calls;
    if (result < 0) ++truth.errors;
    if (result > 0 && call.shape != "plain" && call.shape != "seek") {
        truth.bytes += static_cast<std::uint64_t>(result);
    }
}

// "123 read(3, "x", 1) = 1", and the second half of a call in which another thread came between.
Truths parse_strace(const std::string& path) {
    static const std::regex line_form(
        R"(^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed>).* = (-?\d+)(?: .*)?$)");
    const auto calls = traced_calls();
    Truths truths;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, line_form)) continue;
        const auto call = calls.find(match[1]);
        if (call == calls.end()) continue;
        const auto result = base::parse_i64(match[2].str()).value_or(0);
        add(truths[call->second.op], call->second, result);
        // A move is a read as well.
        if (call->second.shape == "move") add(truths["read"], call->second, result);
    }
    return truths;
}

class StraceTest : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "not root";
        if (!base::run({"strace", "-V"})) GTEST_SKIP() << "no strace here";
        std::string pattern = (fs::temp_directory_path() / "ringside_straceXXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
    }
    std::vector<std::string> command(const std::string& file) const {
        return {RINGSIDE_TEST_PROGRAMS "/io_torture_static", GetParam(), folder_ + "/" + file};
    }
    void run(std::vector<std::string> argv, const std::vector<std::string>& command) const {
        argv.insert(argv.end(), command.begin(), command.end());
        const auto output = base::run(argv, std::chrono::minutes(2));
        ASSERT_TRUE(output) << output.error().what;
        ASSERT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    }

    std::string folder_;
};

TEST_P(StraceTest, TheKernelsCountsAreThoseOfStrace) {
    run({"strace", "-f", "-qq", "-o", folder_ + "/trace"}, command("first"));
    run({RINGSIDE_COMMAND, "io", "--json", "-o", folder_ + "/io.json", "--"}, command("second"));
    if (HasFatalFailure()) return;
    const auto truths = parse_strace(folder_ + "/trace");
    ASSERT_GE(truths.at("read").calls, 2u);
    const auto json = nlohmann::json::parse(std::ifstream(folder_ + "/io.json"));
    ASSERT_EQ(json["method"], "kernel");
    for (const auto& [op, truth] : truths) {
        const auto& counted = json["total"][op];
        EXPECT_EQ(counted["calls"], truth.calls) << op;
        EXPECT_EQ(counted["errors"], truth.errors) << op;
        if (op == "seek" || op == "recv" || op == "send") continue;  // offsets and messages
        EXPECT_EQ(counted["bytes"], truth.bytes) << op;
    }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, StraceTest,
                         testing::Values("threads", "forks", "execs", "errors", "streams",
                                         "vectors", "sockets", "waits", "close_all"),
                         [](const auto& scenario) { return std::string(scenario.param); });

}  // namespace
}  // namespace ringside::preload
