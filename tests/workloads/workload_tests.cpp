// Each workload proves its own result and says so by its exit code; here it must do so with any
// number of threads, and give the same bits, which are written down.
#include <cmath>

#include <gmock/gmock.h>

#include "base/process.h"
#include "workload.h"

namespace ringside::workloads {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
    const char* program;
    const char* size;
    const char* steps;
    const char* checksum;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
    return out << one.program;
}

base::CommandOutput run(const Case& one, const char* threads) {
    const auto output = base::run({std::string(RINGSIDE_WORKLOADS "/") + one.program, "-n",
                                   one.size, "-s", one.steps, "-t", threads});
    EXPECT_TRUE(output) << one.program;
    return output ? *output : base::CommandOutput();
}

class Workload : public ::testing::TestWithParam<Case> {};

TEST_P(Workload, IsRightWithAnyNumberOfThreads) {
    const Case one = GetParam();
    for (const char* threads : {"1", "2", "5"}) {
        const auto output = run(one, threads);
        EXPECT_EQ(output.status.shell_code(), 0) << output.stdout_text << output.stderr_text;
        EXPECT_THAT(output.stdout_text, EndsWith(std::string("\nchecksum ") + one.checksum + "\n"))
            << one.program << " with " << threads << " threads";
        EXPECT_THAT(output.stdout_text, Not(HasSubstr("WRONG")));
        EXPECT_EQ(output.stderr_text, "");
    }
}

TEST_P(Workload, AnotherSizeIsAnotherResult) {
    Case one = GetParam();
    one.size = "19";
    EXPECT_EQ(run(one, "2").status.shell_code(), 0);
    EXPECT_THAT(run(one, "2").stdout_text, Not(HasSubstr(one.checksum)));
}

TEST_P(Workload, RefusesWhatItDoesNotUnderstand) {
    const std::string program = std::string(RINGSIDE_WORKLOADS "/") + GetParam().program;
    for (const auto& wrong : std::vector<std::vector<std::string>>{
             {"-n"}, {"-n", "0"}, {"-n", "x"}, {"-n", "7x"}, {"-t", "100000"}, {"what", "1"}}) {
        std::vector<std::string> argv{program};
        argv.insert(argv.end(), wrong.begin(), wrong.end());
        const auto output = base::run(argv);
        ASSERT_TRUE(output);
        EXPECT_EQ(output->status.shell_code(), 2);
        EXPECT_THAT(output->stderr_text, HasSubstr("usage: "));
    }
}

INSTANTIATE_TEST_SUITE_P(All, Workload,
                         ::testing::Values(Case{"bt", "6", "20", "977e5d6f255b1d7e"},
                                           Case{"lu", "6", "20", "a42c227f14a1cd33"},
                                           Case{"quake", "5", "40", "74046216a6a5db1d"},
                                           Case{"cg", "900", "40", "4c491688a2753de2"},
                                           Case{"stream", "20000", "7", "b9e992e4c397cba5"},
                                           Case{"random_access", "20011", "3", "149dc74d89b8410a"},
                                           Case{"switches", "3", "200", "fe3a3cbd411d3b30"},
                                           Case{"files", "40", "2", "9b587b3ccc76a5b9"}),
                         [](const auto& one) { return std::string(one.param.program); });

TEST(Finish, ARefutedResultIsAFailure) {
    EXPECT_EQ(finish("good", 1e-9, 1e-8, 1), 0);
    EXPECT_EQ(finish("bad", 1e-7, 1e-8, 1), 1);
    EXPECT_EQ(finish("no number at all", std::nan(""), 1e-8, 1), 1);
}

TEST(Checksum, SeesTheLastBitAndTheOrder) {
    const std::vector<double> a{1, 2, 3}, b{1, 3, 2}, c{1, 2, std::nextafter(3.0, 4.0)};
    EXPECT_NE(checksum(a), checksum(b));
    EXPECT_NE(checksum(a), checksum(c));
}

}  // namespace
}  // namespace ringside::workloads
