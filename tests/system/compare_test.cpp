// ringside compare, as the README's reader uses it: a small program here and in the embedded guest,
// in one boot; and what an interrupt leaves behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "base/fd.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using Json = nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* counted_loop = RINGSIDE_BINARY_DIR "/workloads/counted_loop";

Json find_row(const Json& report, const std::string& event, const std::string& dso = "") {
    for (const auto& row : report.at("rows")) {
        const bool whole = dso.empty() && row.at("dso").is_null();
        if (row.at("event") == event && (whole || row.at("dso") == Json(dso))) return row;
    }
    ADD_FAILURE() << "no row of " << event << " " << dso;
    return Json::object();
}

// Reads a file of this machine, computes, and writes to another: in the guest that write is lost.
constexpr const char* script =
    "#!/bin/sh\n"
    "cat \"$1/input\" && echo ran >>\"$1/log\" && exec \"$2\" 30000000\n";

class CompareHereAndInTheGuest : public ::testing::Test {
  protected:
    void SetUp() override {
        REQUIRE_BOX("x86");
        const std::string program = scratch_.write("program", script);
        static_cast<void>(scratch_.write("input", "data of this machine\n", 0644));
        const auto output =
            base::run({ringside, "compare", "-r", "2", "--soft-event", "instructions",
                       "--share-env", "*", "--json", "--keep", scratch_.file("kept"), "--", program,
                       scratch_.path().string(), counted_loop});
        ASSERT_TRUE(output) << output.error().what;
        ASSERT_EQ(output->status.shell_code(), 0) << output->stderr_text;
        progress_ = output->stderr_text;
        report_ = Json::parse(output->stdout_text, nullptr, false);
        ASSERT_TRUE(report_.is_object()) << output->stdout_text;
    }

    Scratch scratch_;
    std::string progress_;
    Json report_;
};

// One boot for all of it.
TEST_F(CompareHereAndInTheGuest, MeasuresBothAlike) {
    EXPECT_EQ(report_.at("schema"), "ringside.compare/1");
    ASSERT_EQ(report_.at("sides").size(), 2u);
    EXPECT_EQ(report_.at("sides")[0].at("kind"), "native");
    const std::string kind = report_.at("sides")[1].at("kind");
    EXPECT_THAT(kind, AnyOf(Eq("kvm"), Eq("tcg")));
    for (const auto& side : report_.at("sides")) {
        EXPECT_EQ(side.at("runs"), 2);
        EXPECT_EQ(side.at("exit_codes"), Json({0, 0}));
        EXPECT_TRUE(side.at("environment").at("kernel").is_string());
    }
    EXPECT_THAT(progress_, HasSubstr("native: run 2 of 2"));
    EXPECT_THAT(progress_, HasSubstr("vm: run 2 of 2"));

    std::vector<std::string> warnings = report_.at("warnings");
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("DIFFERENT RESULTS"))));
    if (kind == "tcg") {
        EXPECT_THAT(warnings, Contains(HasSubstr("vm is emulated (TCG)")));
    }

    for (const char* event : {"time.wall", "time.user", "task-clock", "page-faults"}) {
        const Json row = find_row(report_, event);
        EXPECT_GT(row.at("values")[0].get<double>(), 0) << event;
        EXPECT_GT(row.at("values")[1].get<double>(), 0) << event;
        EXPECT_TRUE(row.at("ratio").is_number()) << event;
        EXPECT_TRUE(row.at("significant").is_boolean()) << event;
    }
    const Json hot = find_row(report_, "cpu-clock", "counted_loop");
    EXPECT_GT(hot.at("values")[0].get<double>(), 0);
    EXPECT_GT(hot.at("values")[1].get<double>(), 0);
    EXPECT_EQ(hot.at("mode"), "user");
    // The same program with the same input and the same environment, which a shell reads through:
    // what it executes does not depend on the machine.
    const Json soft = find_row(report_, "soft:instructions");
    ASSERT_TRUE(soft.at("values")[0].is_number()) << soft;
    ASSERT_TRUE(soft.at("values")[1].is_number()) << soft;
    EXPECT_GT(soft.at("values")[0].get<double>(), 30000000);
    EXPECT_NEAR(soft.at("values")[1].get<double>() / soft.at("values")[0].get<double>(), 1, 0.001);
    ASSERT_FALSE(report_.at("summary").empty());
    EXPECT_EQ(report_.at("summary")[0].at("cause"), "time");

    EXPECT_EQ(scratch_.read("kept/2-vm/1/stdout"), scratch_.read("kept/1-native/1/stdout"));
    EXPECT_THAT(scratch_.read("kept/2-vm/2/stdout"), HasSubstr("data of this machine"));
    EXPECT_EQ(scratch_.read("log"), "ran\nran\nran\n")
        << "only the native runs may write here, of which one is the soft PMU's";

    const auto again = base::run({ringside, "compare", "--csv", scratch_.file("kept")});
    ASSERT_TRUE(again);
    EXPECT_THAT(again->stdout_text, HasSubstr("native_value"));
    EXPECT_THAT(again->stdout_text, HasSubstr("vm_ratio"));
}

// The program beside has a guest of its own: this one does not see it, though both are there.
TEST(CompareBesideAnother, EachInAGuestOfItsOwn) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto program = scratch.write("program",
                                       "#!/bin/sh\n"
                                       "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' >&2\n"
                                       "echo same\n");
    const auto output = base::run({ringside, "compare", "-r", "2", "--json", "--no-trace", "--keep",
                                   scratch.file("kept"), "--memory", "512", "--co-run",
                                   "sleep 1000.25", "--", program});
    ASSERT_TRUE(output);
    ASSERT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    EXPECT_THAT(output->stderr_text, HasSubstr("beside vm: x86-guest under"));
    EXPECT_THAT(scratch.read("kept/1-native/1/stderr"), HasSubstr("sleep 1000.25"));
    EXPECT_THAT(scratch.read("kept/2-vm/1/stderr"), Not(HasSubstr("sleep 1000.25")));
    EXPECT_THAT(scratch.read("kept/2-vm/place.json"), HasSubstr("\"co_run\": \"sleep 1000.25\""));
    const Json report = Json::parse(output->stdout_text, nullptr, false);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report.at("sides")[1].at("runs"), 2);
    const std::vector<std::string> warnings = report.at("warnings");
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("did not run beside"))));
    EXPECT_TRUE(processes_with("1000.25").empty());
}

// Interrupts a comparison on `target` once it has said `sign` or, without one, once its program
// runs, and takes its exit code. Its temporary files go to `scratch`.
int interrupted(const Scratch& scratch, const std::string& target, const std::string& sign) {
    const Scratch own;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    const base::Fd read_end(ends[0]);
    base::Fd write_end(ends[1]);
    base::SpawnOptions options;
    options.stderr_fd = write_end.get();
    options.extra_env = {"TMPDIR=" + scratch.path().string()};
    auto child = base::spawn({ringside, "compare", "--on", "a=" + target, "--", "sh", "-c",
                              "touch \"$0\"; exec sleep 1000.125", own.file("started")},
                             options);
    if (!child) return -1;
    write_end.reset();
    std::string said;
    char byte = 0;
    while (!sign.empty() && said.find(sign) == std::string::npos &&
           ::read(read_end.get(), &byte, 1) == 1) {
        said += byte;
    }
    for (int tries = 0; sign.empty() && tries < 1500 && !fs::exists(own.file("started")); ++tries) {
        ::usleep(20000);
    }
    child->send_signal(SIGINT);
    const auto status = child->wait();
    return status ? status->shell_code() : -1;
}

TEST(CompareInterrupted, LeavesNothingHere) {
    const Scratch scratch;
    EXPECT_EQ(interrupted(scratch, "native", ""), 128 + SIGINT);
    EXPECT_TRUE(fs::is_empty(scratch.path()));
    EXPECT_TRUE(processes_with("1000.125").empty());
}

TEST(CompareInterrupted, LeavesNoGuest) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    EXPECT_EQ(interrupted(scratch, "guest", "x86-guest under"), 128 + SIGINT);
    EXPECT_TRUE(fs::is_empty(scratch.path()));
    EXPECT_TRUE(processes_with(scratch.path().string()).empty());
}

}  // namespace
}  // namespace ringside::system_test
