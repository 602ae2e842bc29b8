#include "components/cpu/probes.h"

#include <array>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../platform/temp_tree.h"
#include "base/sys_root.h"
#include "live.h"

// Called as often as a test likes; not inlined, and known by name. In C, so that the name is plain.
extern "C" __attribute__((noinline)) void ringside_probed_function() {
    asm volatile("");
}

namespace ringside::components::cpu {
namespace {

using ::testing::HasSubstr;

void add_probes(platform::TempTree& tree) {
    const std::string devices = "/sys/bus/event_source/devices/";
    tree.put(devices + "kprobe/type", "8\n").put(devices + "kprobe/format/retprobe", "config:0\n");
    tree.put(devices + "uprobe/type", "9\n").put(devices + "uprobe/format/retprobe", "config:0\n");
}

TEST(ProbeNames, AreThoseOfTheFourKinds) {
    for (const auto* name : {"kprobe:a", "kretprobe:a", "uprobe:/a:b", "uretprobe:/a:b"}) {
        EXPECT_TRUE(is_probe_name(name)) << name;
    }
    for (const auto* name : {"cycles", "probe:a", "sched:sched_switch", "uprobes:a"}) {
        EXPECT_FALSE(is_probe_name(name)) << name;
    }
}

TEST(Probes, OfTheKernelAreAFunctionAndAnOffset) {
    platform::TempTree tree;
    add_probes(tree);
    const auto event = probe_event(tree.root(), "kretprobe:do_exit+0x10:k");
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->probe_text, "do_exit");
    EXPECT_EQ(event->code, (model::EventCode{8, 1, 0, 0x10}));
    EXPECT_TRUE(event->exclude.user);
    EXPECT_EQ(event->kind, model::EventKind::probe);
}

TEST(Probes, OfAFileMayBeAByteOfIt) {
    platform::TempTree tree;
    add_probes(tree);
    tree.put("/bin/program", "not ELF");
    const auto event = probe_event(tree.root(), "uprobe:/bin/program:0x1234");
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->code, (model::EventCode{9, 0, 0, 0x1234}));
    EXPECT_TRUE(event->probe_text.ends_with("/bin/program"));
}

TEST(Probes, WhatIsMissingIsNamed) {
    platform::TempTree tree;
    const auto what = [&](const char* name) {
        const auto event = probe_event(tree.root(), name);
        return event ? "no error" : event.error().what;
    };
    EXPECT_THAT(what("kprobe:do_exit"), HasSubstr("this kernel makes no kprobes"));
    add_probes(tree);
    tree.put("/bin/program", "not ELF");
    EXPECT_THAT(what("uprobe:/bin/none:main"), HasSubstr("cannot probe /bin/none"));
    EXPECT_THAT(what("uprobe:/bin/program:main"), HasSubstr("has no function main"));
    EXPECT_THAT(what("uprobe:main"), HasSubstr("needs a program"));
    EXPECT_THAT(what("kprobe:"), HasSubstr("not a place"));
    EXPECT_THAT(what("kprobe:a+b"), HasSubstr("not a place"));
}

// The kernel makes the probe, and it counts every call.
TEST(Probes, CountTheCallsOfAFunction) {
    std::array<char, 4096> path{};
    ASSERT_GT(::readlink("/proc/self/exe", path.data(), path.size() - 1), 0);
    const std::string name = std::string("uprobe:") + path.data() + ":ringside_probed_function";
    const auto found = probe_event({}, name);
    if (!found && found.error().code == ErrorCode::unsupported) GTEST_SKIP() << found.error().what;
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, name);
    ringside_probed_function();
    ASSERT_TRUE(set.start());
    for (int i = 0; i < 37; ++i) ringside_probed_function();
    ASSERT_TRUE(set.stop());
    ringside_probed_function();
    std::array<std::int64_t, 1> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(values[0], 37);
}

// A fork of our own has us for its parent, not process 1.
TEST(Filters, ATracepointCountsWhatTheyLetThrough) {
    const auto session = Session::open();
    auto all = session.event_set();
    const auto added = all.add("sched:sched_process_fork");
    if (!added) GTEST_SKIP() << added.error().what;
    auto some = session.event_set();
    const auto filtered = some.add("sched:sched_process_fork{parent_pid == 1}");
    ASSERT_TRUE(filtered) << why(filtered);
    ASSERT_TRUE(all.start());
    ASSERT_TRUE(some.start());
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ASSERT_GT(child, 0);
    ::waitpid(child, nullptr, 0);
    std::array<std::int64_t, 1> values{};
    ASSERT_TRUE(all.read(values));
    EXPECT_EQ(values[0], 1);
    ASSERT_TRUE(some.read(values));
    EXPECT_EQ(values[0], 0);
}

TEST(Filters, ABadOneIsAMistake) {
    const auto session = Session::open();
    auto set = session.event_set();
    if (const auto added = set.add("sched:sched_switch"); !added) {
        GTEST_SKIP() << added.error().what;
    }
    const auto added = set.add("sched:sched_switch{no_such_field == 1}");
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, ErrorCode::bad_input);
    EXPECT_THAT(added.error().what, HasSubstr("does not understand the filter"));
    const auto hardware = session.find("page-faults{a == 1}");
    ASSERT_FALSE(hardware);
    EXPECT_THAT(hardware.error().what, HasSubstr("only a tracepoint can be filtered"));
}

}  // namespace
}  // namespace ringside::components::cpu
