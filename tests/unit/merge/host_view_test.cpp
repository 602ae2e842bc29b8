#include "merge/host_view.h"

#include <gmock/gmock.h>

#include "synthetic.h"

namespace ringside::merge {
namespace {

using builders::HostRecording;
using ::testing::HasSubstr;

HostView view_of(const std::string& path, const std::map<std::uint32_t, std::string>& names = {}) {
    auto file = perf::DataFile::open(path);
    EXPECT_TRUE(file);
    auto view = read_host(*file, path, names);
    EXPECT_TRUE(view) << view.error().what;
    return view ? std::move(*view) : HostView{};
}

std::uint64_t time(const DoingTimes& times, Doing doing) {
    return times[static_cast<std::size_t>(doing)];
}

std::string switched(std::uint32_t out, std::uint64_t state, std::uint32_t in) {
    base::ByteWriter raw;
    raw.zeros(24).u32(out).u32(0).u64(state).zeros(16).u32(in).u32(0);
    const auto bytes = raw.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string woken(std::uint32_t tid) {
    base::ByteWriter raw;
    raw.zeros(24).u32(tid).u32(0).u64(0);
    const auto bytes = raw.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(HostView, RunsLieBetweenEntryAndExit) {
    HostRecording host;
    host.runs({{100, 200}, {250, 400}}, 42, 43, 0);
    host.runs({{120, 300}}, 42, 44, 1);
    const auto view = view_of(host.recording.write("runs.data"));
    ASSERT_EQ(view.threads.size(), 2u);
    EXPECT_EQ(view.first_ns, 100u);
    EXPECT_EQ(view.last_ns, 400u);
    const auto& first = view.threads[0];
    EXPECT_EQ(first.pid, 42u);
    EXPECT_EQ(first.tid, 43u);
    EXPECT_EQ(first.vcpu, 0u);
    EXPECT_EQ(view.threads[1].vcpu, 1u);
    ASSERT_EQ(first.runs.size(), 2u);
    EXPECT_EQ(first.runs[1].begin_ns, 250u);
    EXPECT_EQ(first.exits_ns.size(), 2u);
    const auto times = first.times(150, 350);
    EXPECT_EQ(time(times, Doing::running), 50u + 100u);
    EXPECT_EQ(time(times, Doing::kernel), 50u);
    EXPECT_EQ(first.cpu_at(260), 43u % 2);
    EXPECT_FALSE(view.sees_switches || view.sees_vmm || view.sees_wakeups);
}

TEST(HostView, ALostExitMakesTheTimeUnknown) {
    HostRecording host;
    host.entry(100, 42, 43, 0);
    host.entry(300, 42, 43, 0);
    host.exit(400, 42, 43);
    host.exit(600, 42, 43);
    const auto view = view_of(host.recording.write("lost.data"));
    const auto times = view.threads.at(0).times(0, 1000);
    EXPECT_EQ(time(times, Doing::unknown), 200u + 200u);
    EXPECT_EQ(time(times, Doing::running), 100u);
    EXPECT_EQ(view.threads[0].runs.size(), 3u) << "guest code may have run in what is unknown";
}

TEST(HostView, WhatRanAtBothEndsRanToThem) {
    HostRecording host;
    host.runs({{0, 10}}, 1, 2, 0);
    host.exit(50, 42, 43);
    host.entry(80, 42, 43, 0);
    host.runs({{90, 100}}, 1, 2, 0);
    const auto view = view_of(host.recording.write("ends.data"));
    const auto& thread = view.threads.at(1);
    EXPECT_EQ(thread.tid, 43u);
    const auto times = thread.times(0, 100);
    EXPECT_EQ(time(times, Doing::running), 50u + 20u);
    EXPECT_EQ(time(times, Doing::kernel), 30u);
}

TEST(HostView, TellsWaitingFromSleepingAndTheVmm) {
    HostRecording host;
    auto& recording = host.recording;
    const auto switches = recording.event("sched:sched_switch", PERF_TYPE_TRACEPOINT, 1);
    const auto wakeups = recording.event("sched:sched_wakeup", PERF_TYPE_TRACEPOINT, 2);
    const auto leaves = recording.event("kvm:kvm_userspace_exit", PERF_TYPE_TRACEPOINT, 3);
    host.entry(100, 42, 43, 0);
    host.exit(200, 42, 43);
    recording.sample(leaves, {42, 43, 220, 0, 0});
    recording.sample(switches, {42, 43, 230, 0, 0}, switched(43, 0x100, 7));  // preempted
    recording.sample(switches, {7, 7, 260, 1, 0}, switched(7, 1, 43));
    host.entry(300, 42, 43, 0);
    host.exit(400, 42, 43);
    recording.sample(switches, {42, 43, 410, 0, 0}, switched(43, 1, 0));
    recording.sample(wakeups, {7, 7, 500, 1, 0}, woken(43));
    recording.sample(switches, {0, 0, 530, 0, 0}, switched(0, 0, 43));
    host.entry(600, 42, 43, 0);
    host.exit(700, 42, 43);
    const auto view = view_of(recording.write("doing.data"));
    EXPECT_TRUE(view.sees_switches && view.sees_wakeups && view.sees_vmm);
    ASSERT_EQ(view.threads.size(), 1u) << "others are no vCPUs";
    const auto times = view.threads[0].times(0, 1000);
    EXPECT_EQ(time(times, Doing::running), 300u);
    EXPECT_EQ(time(times, Doing::vmm), 10u + 40u);
    EXPECT_EQ(time(times, Doing::waiting), 30u + 30u);
    EXPECT_EQ(time(times, Doing::sleeping), 90u);
    EXPECT_EQ(time(times, Doing::kernel), 20u + 10u + 70u);
}

TEST(HostView, QemuNamesItsVcpusWhereTheKernelDoesNot) {
    HostRecording host;
    host.runs({{100, 200}}, 42, 43, 9);
    host.runs({{100, 200}}, 42, 44, 9);
    const auto view = view_of(host.recording.write("arm.data", {}, "aarch64"),
                              {{43, "CPU 1/KVM"}, {44, "worker"}});
    EXPECT_EQ(view.threads.at(0).vcpu, 1u);
    EXPECT_EQ(view.threads.at(1).vcpu, std::nullopt);
}

TEST(HostView, RefusesWhatIsNoHost) {
    builders::Recording plain;
    const auto clock = plain.event("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    plain.sample(clock, {1, 1, 100, 0, 0});
    const auto path = plain.write("plain.data");
    const auto file = perf::DataFile::open(path);
    ASSERT_TRUE(file);
    const auto view = read_host(*file, path, {});
    ASSERT_FALSE(view);
    EXPECT_THAT(view.error().what, HasSubstr("no recording of a KVM host"));
    EXPECT_THAT(view.error().hint, HasSubstr("the host's file comes first"));
}

TEST(HostView, RefusesAHostWithoutGuests) {
    const HostRecording host;
    const auto path = host.recording.write("idle.data");
    const auto file = perf::DataFile::open(path);
    ASSERT_TRUE(file);
    const auto view = read_host(*file, path, {});
    ASSERT_FALSE(view);
    EXPECT_THAT(view.error().what, HasSubstr("no guest ran"));
}

}  // namespace
}  // namespace ringside::merge
