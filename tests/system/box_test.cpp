// What every box promises: output, exit code, arguments and files as if the command ran here.
#include "box.h"

#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace ringside::system_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

unsigned mode_of(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
}

// One boot for all that one command can show.
TEST(Box, CarriesArgumentsOutputStatusAndFiles) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto program =
        scratch.write("program",
                      "#!/bin/sh\n"
                      "for word; do printf '[%s]' \"$word\"; done\n"
                      "echo \"$GREETING\" >&2\n"
                      "echo again >/dev/stderr\n"
                      "mkdir -p /tmp/result/deep\n"
                      "cp -r /data /tmp/result/deep\n"
                      "perf --version >/tmp/result/perf\n"
                      "ringside --version >/tmp/result/ringside\n"
                      "mount >/tmp/result/mounts\n"
                      "stat -c %a /data/secret /data/tool >/tmp/result/modes\n"
                      "test -r /sys/kernel/btf/vmlinux && id -u >/tmp/result/root\n"
                      "exit 3\n");
    fs::create_directory(scratch.path() / "data");
    scratch.write("data/secret", "s\0s", 0640);
    scratch.write("data/tool", "t", 0751);
    const std::string awkward = "$(touch /pwned) `x` 'q' \"d\" \\n * \t\xc3\xa9";
    const auto result =
        run_box({"run", "x86-guest", "--put", program + ":/usr/bin/program", "--put",
                 scratch.file("data") + ":/data", "--env", "GREETING=hello  'box'", "--get",
                 "/tmp/result:" + scratch.file("got"), "--get", "/pwned:" + scratch.file("pwned"),
                 "--", "program", "a b", "", awkward, "line\nbreak\n", "--timeout"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "[a b][][" + awkward + "][line\nbreak\n][--timeout]");
    EXPECT_THAT(result.err, HasSubstr("hello  'box'\nagain\n"));
    EXPECT_THAT(result.err, HasSubstr("x86-guest under "));
    EXPECT_THAT(result.err, HasSubstr("not brought back, it is not there: /pwned"));
    EXPECT_EQ(scratch.read("got/deep/data/secret"), scratch.read("data/secret"));
    EXPECT_EQ(scratch.read("got/modes"), "640\n751\n") << "in there as they are here";
    EXPECT_EQ(mode_of(scratch.path() / "got/deep/data/tool"), 0644u) << "and none of it comes back";
    EXPECT_THAT(scratch.read("got/perf"), StartsWith("perf version"));
    EXPECT_THAT(scratch.read("got/ringside"), StartsWith("ringside "));
    EXPECT_EQ(scratch.read("got/root"), "0\n");
    for (const auto* mounted : {"tracefs", "debugfs", "cgroup2", "bpf", "/dev/shm"}) {
        EXPECT_THAT(scratch.read("got/mounts"), HasSubstr(mounted));
    }
}

// Two at once, which must neither disturb each other nor differ in one byte.
TEST(Box, DeterministicKindGivesTheSameBytesInEveryRun) {
    REQUIRE_BOX("arm64");
    const Scratch scratch;
    const auto once = [&](const std::string& name) {
        return run_box({"run", "arm64-pmu", "--console", scratch.file(name), "--", "sh", "-c",
                        "dmesg; cat /proc/interrupts /proc/uptime; date; "
                        "perf stat -x, -e instructions:u,cycles:u true"});
    };
    BoxResult other;
    std::thread thread([&] { other = once("two"); });
    const BoxResult one = once("one");
    thread.join();
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("Linux version"));
    EXPECT_EQ(one.out, other.out);
    EXPECT_EQ(one.err, other.err);
    EXPECT_THAT(scratch.read("one"), Not(IsEmpty()));
    EXPECT_EQ(scratch.read("one"), scratch.read("two"));
    // The instruction clock: one cycle an instruction, and a count that is not 0.
    const auto line = one.err.find(",,instructions:u");
    ASSERT_NE(line, std::string::npos) << one.err;
    const auto begin = one.err.rfind('\n', line) + 1;
    const std::string count = one.err.substr(begin, line - begin);
    EXPECT_GT(std::stoll(count), 1000);
    EXPECT_THAT(one.err, HasSubstr("\n" + count + ",,cycles:u"));
}

TEST(Box, RunsTheArm64Build) {
    REQUIRE_BOX("arm64");
    if (const auto why = missing_arm64_build(); !why.empty()) GTEST_SKIP() << why;
    const auto result = run_box({"run", "arm64-pmu", "--", "ringside", "--version"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("ringside "));
}

TEST(Box, PassesOnDeathBySignal) {
    REQUIRE_BOX("arm64");
    EXPECT_EQ(run_box({"run", "arm64-pmu", "--", "sh", "-c", "kill -9 $$"}).exit_code, 137);
}

TEST(Box, MissingCommandIs127) {
    REQUIRE_BOX("arm64");
    const auto result = run_box({"run", "arm64-pmu", "--", "no-such-command"});
    EXPECT_EQ(result.exit_code, 127);
    EXPECT_THAT(result.err, HasSubstr("no-such-command: not found"));
}

TEST(Box, FileThatIsNoProgramIs126) {
    REQUIRE_BOX("arm64");
    EXPECT_EQ(run_box({"run", "arm64-pmu", "--", "/etc/passwd"}).exit_code, 126);
}

TEST(Box, HungCommandIsKilledAndNamed) {
    REQUIRE_BOX("arm64");
    const auto result = run_box({"run", "arm64-pmu", "--timeout", "20", "--", "sh", "-c",
                                 "echo here; echo last words >/dev/console; while :; do :; done"});
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_EQ(result.out, "here\n");
    EXPECT_THAT(result.err, HasSubstr("hung and was killed after 20 s while the command ran"));
    EXPECT_THAT(result.err, HasSubstr("| last words"));
}

TEST(Box, MachineThatDoesNotStartIsExplained) {
    REQUIRE_BOX("arm64");
    const auto result = run_box({"run", "arm64-pmu", "--cpu", "abacus", "--", "true"});
    EXPECT_EQ(result.exit_code, 125);
    EXPECT_THAT(result.err, HasSubstr("arm64-pmu ended while the kernel"));
    EXPECT_THAT(result.err, HasSubstr("abacus"));
}

TEST(Box, WrongRequestsAreRefusedBeforeAnythingBoots) {
    REQUIRE_BOX("arm64");
    const auto refused = [](const std::vector<std::string>& arguments, const char* why) {
        const auto result = run_box(arguments);
        EXPECT_EQ(result.exit_code, 125);
        EXPECT_THAT(result.err, HasSubstr(why));
        EXPECT_THAT(result.out, IsEmpty());
    };
    refused({"run", "toaster", "--", "true"}, "no kind of machine is called 'toaster'");
    refused({"run", "arm64-pmu"}, "no command to run");
    refused({"run", "arm64-pmu", "--inner", "--", "true"}, "has no inner guest");
    refused({"run", "arm64-pmu", "--beside", "/bin/true", "--", "true"}, "need --inner");
    refused({"run", "arm64-pmu", "--put", "/etc/passwd", "--", "true"}, "is not SRC:DST");
    refused({"run", "arm64-pmu", "--put", "/no/such:/x", "--", "true"}, "/no/such");
    refused({"run", "arm64-pmu", "--put", "/etc/passwd:x", "--", "true"}, "must begin with /");
    refused({"run", "arm64-pmu", "--get", "x:y", "--", "true"}, "is not the path of a file");
    refused({"run", "arm64-pmu", "--icount=99", "--", "true"}, "--icount requires a number");
    refused({"run", "arm64-pmu", "--smp", "0", "--", "true"}, "--smp requires a number");
    refused({"run", "arm64-pmu", "--timeout", "0", "--", "true"}, "--timeout requires");
}

TEST(Box, ListsItsKinds) {
    const auto result = run_box({"list"});
    EXPECT_EQ(result.exit_code, 0);
    for (const auto* kind : {"x86-guest ", "arm64-pmu ", "arm64-kvm ", "x86-kvm "}) {
        EXPECT_THAT(result.out, HasSubstr(kind));
    }
    EXPECT_THAT(result.out, Not(HasSubstr("-inner ")));
}

}  // namespace
}  // namespace ringside::system_test
