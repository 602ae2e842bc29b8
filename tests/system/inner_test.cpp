// Boxes that are hosts: a command on the host, in the guest inside, and both at once.
#include <gmock/gmock.h>

#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InnerArm64, HostHasKvmAndAPmu) {
    REQUIRE_BOX("arm64");
    const auto result = run_box({"run", "arm64-kvm", "--", "sh", "-c",
                                 "test -c /dev/kvm && perf stat -x, -e instructions:u true"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr(",,instructions:u,"));
    EXPECT_THAT(result.err, Not(HasSubstr("<not")));
}

// The host pins all seven counters before the guest boots: the guest's count stays at 0, although
// the guest believes its counter ran all the time.
TEST(InnerArm64, HostAndGuestFightForCounters) {
    REQUIRE_BOX("arm64");
    const Scratch scratch;
    const auto beside = scratch.write(
        "pin",
        "#!/bin/sh\n"
        "perf stat -a -e cycles:D,cycles:D,cycles:D,cycles:D,cycles:D,cycles:D,cycles:D "
        "sleep 1000 &\n"
        "trap 'cp /run/ringside/inner.status /tmp/status; kill $!; exit 0' TERM\n"
        "sleep 0.5\n"
        "echo pinned\n"
        "touch /run/ringside/ready\n"
        "while :; do sleep 0.1; done\n");
    const auto result = run_box({"run", "arm64-kvm", "--inner", "--beside", beside, "--host-get",
                                 "/tmp/status:" + scratch.file("status"), "--put",
                                 scratch.write("note", "from outside\n") + ":/note", "--get",
                                 "/tmp/copy:" + scratch.file("copy"), "--", "sh", "-c",
                                 "perf stat -x, -e cycles:u true; cp /note /tmp/copy; exit 5"});
    EXPECT_EQ(result.exit_code, 5) << result.err;
    EXPECT_THAT(result.err, HasSubstr("host: pinned\n"));
    EXPECT_THAT(result.err, HasSubstr("\n0,,cycles:u,"));
    EXPECT_THAT(result.err, HasSubstr(",100.00,"));
    EXPECT_EQ(scratch.read("copy"), "from outside\n");
    EXPECT_EQ(scratch.read("status"), "init\ncommand\nexit 5\ndone\n");
}

TEST(InnerX86, HostHasKvm) {
    REQUIRE_BOX("x86");
    const auto result = run_box(
        {"run", "x86-kvm", "--", "sh", "-c", "test -c /dev/kvm && grep -c svm /proc/cpuinfo"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "2\n");
}

// Two CPUs of the guest on one of the host: what the host measures as the run delay of each CPU's
// thread can be brought back, and the guest sees the time as steal.
TEST(InnerX86, GuestOnOneHostCpuHasSteal) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto beside = scratch.write(
        "watch",
        "#!/bin/sh\n"
        "touch /run/ringside/ready\n"
        "until grep -q exit /run/ringside/inner.status 2>/dev/null; do\n"
        "  for task in /proc/$(pidof qemu-system-x86_64)/task/*; do\n"
        "    read -r name <$task/comm && read -r run delay slices <$task/schedstat &&\n"
        "    case $name in CPU*) echo \"$name: $delay\" ;; esac\n"
        "  done 2>/dev/null >/tmp/new && grep -q CPU /tmp/new && mv /tmp/new /tmp/delay\n"
        "  sleep 0.1\n"
        "done\n");
    const auto result =
        run_box({"run", "x86-kvm", "--inner", "--inner-pin", "--beside", beside, "--host-get",
                 "/tmp/delay:" + scratch.file("delay"), "--", "sh", "-c",
                 "for n in 1 2; do timeout 2 sh -c 'while :; do :; done' & done; wait; head -3 "
                 "/proc/stat"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto lines = base::split_lines(result.out);
    ASSERT_EQ(lines.size(), 3u) << result.out;
    for (const auto line : {lines[1], lines[2]}) {
        const auto words = base::split_words(line);
        ASSERT_GT(words.size(), 8u);
        EXPECT_GT(base::parse_u64(words[8]).value_or(0), 0u) << "no steal: " << line;
    }
    const auto delay = scratch.read("delay");
    EXPECT_THAT(delay, HasSubstr("CPU 0/KVM: "));
    EXPECT_THAT(delay, HasSubstr("CPU 1/KVM: "));
}

}  // namespace
}  // namespace ringside::system_test
