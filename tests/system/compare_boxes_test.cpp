// ringside compare where virtualization is real: a KVM host in a box against the guest inside of
// it, on x86 (times, faults, samples) and on arm64 (a PMU on both sides).
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

namespace ringside::system_test {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The comparison of bt on host and guest of a box of this kind, what was printed in `scratch`.
Json compare_in(const std::string& kind, const std::string& program, const Scratch& scratch,
                const std::vector<std::string>& options) {
    std::vector<std::string> argv{RINGSIDE_BINARY_DIR "/ringside", "compare", "--json", "-r", "2"};
    argv.insert(argv.end(), {"--no-trace", "--keep", scratch.file("kept"), "--with-build",
                             RINGSIDE_SOURCE_DIR "/build/arm64"});
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"--on", "host=box:" + kind, "--on", "vm=box:" + kind + "/inner"});
    argv.insert(argv.end(), {"--", program, "-n", "6", "-s", "10", "-t", "1"});
    auto output = base::run(argv);
    if (output && inner_did_not_boot(output->stdout_text + output->stderr_text)) {
        std::filesystem::remove_all(scratch.file("kept"));
        output = base::run(argv);
    }
    EXPECT_TRUE(output);
    if (!output) return Json();
    EXPECT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    return Json::parse(output->stdout_text, nullptr, false);
}

// The row of a whole event.
Json row_of(const Json& report, const std::string& event) {
    for (const auto& row : report.at("rows")) {
        if (row.at("event") == event && row.at("symbol").is_null()) return row;
    }
    ADD_FAILURE() << "no row of " << event;
    return Json::object();
}

// The time that samples found in functions of a module.
double sampled_in(const Json& report, const std::string& dso, int side) {
    double sum = 0;
    for (const auto& row : report.at("rows")) {
        if (row.at("event") == "cpu-clock" && row.at("dso") == Json(dso)) {
            sum += row.at("values")[side].get<double>();
        }
    }
    return sum;
}

// The guest was left, for reasons that have names, and the host has no exits of its own.
void expect_exits(const Json& report) {
    SCOPED_TRACE(report.at("sides")[1].dump(2) + report.at("warnings").dump(2));
    const Json row = row_of(report, "vm-exits");
    ASSERT_TRUE(row.contains("values"));
    EXPECT_TRUE(row.at("values")[0].is_null());
    EXPECT_EQ(row.at("sides")[0].at("state"), "absent");
    EXPECT_GT(row.at("values")[1].get<double>(), 0);
    const Json& exits = report.at("sides")[1].at("vm_exits");
    double sum = 0;
    for (const auto& reason : exits.at("reasons")) {
        EXPECT_NE(reason.at("name"), "");
        sum += reason.at("count").get<double>();
    }
    EXPECT_EQ(sum, exits.at("count"));
    EXPECT_GT(exits.at("time_ns"), 0);
    const bool said =
        std::any_of(report.at("summary").begin(), report.at("summary").end(),
                    [](const Json& finding) { return finding.at("cause") == "exits"; });
    EXPECT_TRUE(said) << report.at("summary").dump(2);
}

void expect_same_work(const Json& report, const Scratch& scratch) {
    ASSERT_TRUE(report.is_object());
    ASSERT_EQ(report.at("sides").size(), 2u);
    EXPECT_EQ(report.at("sides")[0].at("kind"), "native");
    EXPECT_EQ(report.at("sides")[1].at("kind"), "kvm");
    for (const auto& side : report.at("sides")) {
        EXPECT_EQ(side.at("runs"), 2);
        EXPECT_EQ(side.at("exit_codes"), Json({0, 0}));
    }
    const std::vector<std::string> warnings = report.at("warnings");
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("DIFFERENT RESULTS"))));
    const std::string printed = scratch.read("kept/1-host/1/stdout");
    EXPECT_THAT(printed, HasSubstr("checksum "));
    EXPECT_EQ(scratch.read("kept/2-vm/2/stdout"), printed);
    for (const char* event : {"time.wall", "task-clock", "page-faults"}) {
        const Json row = row_of(report, event);
        EXPECT_GT(row.at("values")[0].get<double>(), 0) << event;
        EXPECT_GT(row.at("values")[1].get<double>(), 0) << event;
    }
}

TEST(CompareInBox, X86HostAndGuest) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const Json report =
        compare_in("x86-kvm", RINGSIDE_BINARY_DIR "/workloads/bt", scratch, {"-F", "2000"});
    ASSERT_NO_FATAL_FAILURE(expect_same_work(report, scratch));
    for (const int side : {0, 1}) {
        EXPECT_GT(sampled_in(report, "bt", side), 0) << "of side " << side;
    }
    expect_exits(report);
}

// The program's own instructions are the same wherever it runs; 1 % is for what the loader does.
TEST(CompareInBox, Arm64HostAndGuestCountTheSameInstructions) {
    REQUIRE_BOX("arm64");
    if (const auto why = missing_arm64_build(); !why.empty()) GTEST_SKIP() << why;
    const std::string program = RINGSIDE_SOURCE_DIR "/build/arm64/workloads/bt";
    if (!fs::exists(program)) GTEST_SKIP() << program << " has not been built";
    const Scratch scratch;
    const Json report =
        compare_in("arm64-kvm", program, scratch, {"-e", "instructions:u,task-clock,page-faults"});
    ASSERT_NO_FATAL_FAILURE(expect_same_work(report, scratch));
    const Json row = row_of(report, "instructions:u");
    for (const auto& side : row.at("sides")) EXPECT_EQ(side.at("state"), "ok");
    const double native = row.at("values")[0].get<double>();
    const double vm = row.at("values")[1].get<double>();
    EXPECT_GT(native, 1e6);
    EXPECT_LT(std::abs(vm / native - 1), 0.01) << native << " and " << vm;
    expect_exits(report);
}

}  // namespace
}  // namespace ringside::system_test
