// Whole recordings of machines that never existed, merged and read back.
#include "merge/merge.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "profile/profile.h"
#include "profile/rows.h"
#include "synthetic.h"

namespace ringside::merge {
namespace {

using builders::GuestClock;
using builders::HostRecording;
using builders::ms;
using builders::Recording;
using builders::second;
using ::testing::HasSubstr;

constexpr std::uint32_t vmm = 4711;
constexpr std::uint64_t host_from = 10 * second;
constexpr std::uint64_t host_to = 13 * second;

using Runs = std::vector<Span>;

Runs part(Runs runs, std::uint64_t from, std::uint64_t to) {
    std::erase_if(runs, [&](const Span& r) { return r.begin_ns < from || r.end_ns > to; });
    return runs;
}

// A guest whose CPUs sampled in these runs, as process 99 "app"; CPU numbers are their places.
std::string write_guest(const std::string& name, const std::vector<Runs>& cpus,
                        const GuestClock& clock, const perf::Context& context = {}) {
    Recording guest;
    const auto event = guest.event("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    perf::encode_comm(guest.records(), 99, 99, "app");
    perf::MapRecord kernel;
    kernel.pid = UINT32_MAX;
    kernel.start = 0xffffffff81000000;
    kernel.size = 0x1000000;
    kernel.file = "[kernel.kallsyms]_text";
    perf::encode_kernel_map(guest.records(), kernel, PERF_RECORD_MISC_KERNEL);
    perf::MapRecord program;
    program.pid = program.tid = 99;
    program.start = 0x400000;
    program.size = 0x1000;
    program.file = "/usr/bin/app";
    perf::encode_process_map(guest.records(), program);
    for (std::uint32_t cpu = 0; cpu < cpus.size(); ++cpu) {
        bool user = false;
        for (const auto time : builders::samples_in(cpus[cpu], ms / 2, clock)) {
            user = !user;
            if (user)
                guest.sample(event, {99, 99, time, cpu, 0}, {}, PERF_RECORD_MISC_USER, 0x400010);
            else
                guest.sample(event, {99, 99, time, cpu, 0});
        }
    }
    return guest.write(name, context);
}

struct World {
    HostRecording host;
    std::vector<Runs> vcpus;

    explicit World(unsigned seed = 1, std::uint32_t pid = vmm, std::size_t count = 2) {
        add(seed, pid, count);
    }
    // A machine; its vCPUs are behind those that are there.
    void add(unsigned seed, std::uint32_t pid, std::size_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            vcpus.push_back(builders::uneven_runs(host_from, host_to, seed * 10 + i));
            host.runs(vcpus.back(), pid, pid + 1 + i, i);
        }
    }
    Runs inner(std::size_t vcpu) const {
        return part(vcpus[vcpu], host_from + 300 * ms, host_to - 500 * ms);
    }
};

Request request_of(const std::string& host, const std::string& guest, std::string output = {}) {
    Request request;
    request.host_file = host;
    request.guests = {{"guest", guest, {}}};
    request.output = std::move(output);
    request.version = "ringside test";
    return request;
}

std::int64_t true_offset(const GuestReport& guest, const GuestClock& clock) {
    const std::uint64_t at = guest.host_time.from_ns;
    return static_cast<std::int64_t>(at - clock.of_host(at));
}

TEST(Merge, FindsClockMachineAndVcpus) {
    const GuestClock clock{7'654'321'000, 25};
    World world;
    world.add(2, 900, 2);
    const auto guest = write_guest("g1.data", {world.inner(0), world.inner(1)}, clock);
    const auto report = merge(request_of(world.host.recording.write("h1.data"), guest));
    ASSERT_TRUE(report) << report.error().what;
    const auto& found = report->guests.at(0);
    EXPECT_EQ(found.pid, vmm);
    EXPECT_EQ(found.source, ClockSource::runs);
    EXPECT_EQ(found.agreement.outside, 0u);
    EXPECT_NEAR(static_cast<double>(found.offset_ns - true_offset(found, clock)), 0,
                found.uncertainty_ns + 1);
    EXPECT_NEAR(found.drift_ppm, 25, 20);
    ASSERT_EQ(found.vcpus.size(), 2u);
    EXPECT_EQ(found.vcpus[1].tid, vmm + 2);
    EXPECT_FALSE(found.vcpus_matched);
    EXPECT_GT(found.vcpus[0].exits, 0u);
    EXPECT_EQ(found.vcpus[0].guest_stolen_ns, std::nullopt) << "this guest did not say";
}

// The guest counts its CPUs the other way round.
TEST(Merge, MatchesVcpusThatNothingNames) {
    const GuestClock clock{-3'000'000'000, 0};
    World world(3, vmm, 3);
    const auto guest =
        write_guest("g2.data", {world.inner(2), world.inner(0), world.inner(1)}, clock);
    const auto report = merge(request_of(world.host.recording.write("h2.data"), guest));
    ASSERT_TRUE(report) << report.error().what;
    const auto& found = report->guests.at(0);
    EXPECT_TRUE(found.vcpus_matched);
    EXPECT_EQ(found.agreement.outside, 0u);
    EXPECT_EQ(found.vcpus.at(0).tid, vmm + 3);
    EXPECT_EQ(found.vcpus.at(1).tid, vmm + 1);
    EXPECT_EQ(found.vcpus.at(2).tid, vmm + 2);
}

TEST(Merge, SeveralGuests) {
    const GuestClock one{5'000'000'000, 0};
    const GuestClock two{-9'000'000'000, -40};
    World world;
    world.add(5, 900, 1);
    Request request = request_of(world.host.recording.write("h3.data"), "");
    request.guests = {{"b", write_guest("g3b.data", {world.inner(2)}, two), {}},
                      {"a", write_guest("g3a.data", {world.inner(0), world.inner(1)}, one), {}}};
    request.output = scratch::file("m3.data");
    const auto report = merge(request);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->guests.at(0).pid, 900u);
    EXPECT_EQ(report->guests.at(1).pid, vmm);
    const auto merged = profile::load(request.output);
    ASSERT_TRUE(merged);
    EXPECT_EQ(merged->events.at(2).name, "cpu-clock") << "one event for what both recorded alike";
    EXPECT_EQ(merged->events.size(), 3u);
}

TEST(Merge, WritesGuestsUnderTheirMachine) {
    const GuestClock clock{7 * second, 0};
    World world;
    const auto own =
        world.host.recording.event("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    perf::encode_comm(world.host.recording.records(), 99, 99, "host-99");
    world.host.recording.sample(own, {99, 99, 12 * second, 0, 0});
    // What the host saw of the guest, once while the guest recorded and once not.
    world.host.recording.sample(own, {vmm, vmm + 1, 12 * second + 1, 0, 0}, {},
                                PERF_RECORD_MISC_GUEST_KERNEL);
    world.host.recording.sample(own, {vmm, vmm + 1, host_to - 1, 0, 0}, {},
                                PERF_RECORD_MISC_GUEST_KERNEL);
    const auto guest = write_guest("g4.data", {world.inner(0), world.inner(1)}, clock,
                                   {{"kallsyms.zst", "packed"}});
    const auto output = scratch::file("m4.data");
    const auto report = merge(request_of(world.host.recording.write("h4.data"), guest, output));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->replaced_samples, 1u);
    profile::LoadOptions options;
    options.keep.pid = options.keep.timeline = true;
    const auto merged = profile::load(output, options);
    ASSERT_TRUE(merged) << merged.error().what;
    EXPECT_THAT(merged->warnings, ::testing::IsEmpty());
    EXPECT_EQ(merged->kallsyms->guests.at(vmm), "packed");
    std::uint64_t of_guest = 0;
    for (const auto& group : merged->groups) {
        const auto& comm = merged->world->comm(group.comm);
        const auto& place = merged->locations[group.location];
        if (group.machine == 0) {
            EXPECT_NE(comm, "app");
            continue;
        }
        of_guest += group.samples;
        EXPECT_EQ(group.machine, vmm);
        EXPECT_EQ(comm, "app") << "process 99 of the guest is not that of the host";
        ASSERT_TRUE(place.mapping);
        const auto& module = merged->world->module(merged->world->mapping(*place.mapping).module);
        EXPECT_EQ(module.machine, vmm);
        EXPECT_EQ(module.path, place.mode == perf::CpuMode::guest_user
                                   ? "/usr/bin/app"
                                   : "[guest.kernel.kallsyms.4711]");
    }
    EXPECT_EQ(of_guest, report->guest_samples);
    EXPECT_EQ(of_guest, report->guests[0].agreement.inside);
    for (const auto& instant : merged->timeline) EXPECT_GE(instant.time_ns, host_from);
}

TEST(Merge, CanBeToldTheOffset) {
    const GuestClock clock{1'000'000'000, 0};
    World world;
    const auto host = world.host.recording.write("h5.data");
    auto request = request_of(host, write_guest("g5.data", {world.inner(0)}, clock));
    request.guests[0].wanted.offset_ns = 1'000'000'000;
    request.guests[0].wanted.pid = vmm;
    const auto report = merge(request);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->guests[0].source, ClockSource::given);
    EXPECT_EQ(report->guests[0].offset_ns, 1'000'000'000);
    EXPECT_EQ(report->guests[0].agreement.outside, 0u);
}

TEST(Merge, BelievesTheCounterAndChecksIt) {
    const GuestClock clock{2 * second, 0};
    World world;
    const perf::Context host_facts{{"clock_source", "tsc"},
                                   {"clock_reading", "10000000000 50000000000 2 0"},
                                   {"clock_reading", "15000000000 60000000000 2 0"},
                                   {"kvm_tsc", "4711 0 -40000000000 1 0"}};
    const perf::Context guest_facts{{"clock_reading", "9000000000 12000000000 2 0"},
                                    {"clock_reading", "12000000000 18000000000 2 0"}};
    const auto guest = write_guest("g6.data", {world.inner(0), world.inner(1)}, clock, guest_facts);
    const auto report = merge(request_of(world.host.recording.write("h6.data", host_facts), guest));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->guests[0].source, ClockSource::counter);
    EXPECT_EQ(report->guests[0].offset_ns, 2 * std::int64_t{second});
    EXPECT_DOUBLE_EQ(report->guests[0].uncertainty_ns, 2);

    auto wrong = host_facts;
    wrong[3].value = "4711 0 -40500000000 1 0";
    const auto other = merge(request_of(world.host.recording.write("h6b.data", wrong), guest));
    ASSERT_TRUE(other) << other.error().what;
    EXPECT_EQ(other->guests[0].source, ClockSource::runs);
    EXPECT_NEAR(static_cast<double>(other->guests[0].offset_ns), 2e9,
                other->guests[0].uncertainty_ns);
    EXPECT_THAT(other->warnings, ::testing::Contains(HasSubstr("not used")));
}

struct Refusal : ::testing::Test {
    World world;
    std::string host = world.host.recording.write("refusal_host.data");
    std::string guest =
        write_guest("refusal_guest.data", {world.inner(0), world.inner(1)}, {second, 0});

    static std::string error(const Result<MergeReport>& report) {
        return report ? "merged" : report.error().what + "\n" + report.error().hint;
    }
};

TEST_F(Refusal, FilesInTheWrongOrder) {
    EXPECT_THAT(error(merge(request_of(guest, host))), HasSubstr("the host's file comes first"));
}

TEST_F(Refusal, TheSameFileTwice) {
    EXPECT_THAT(error(merge(request_of(host, host))), HasSubstr("given twice"));
}

TEST_F(Refusal, OneNameForTwo) {
    auto request = request_of(host, guest);
    request.guests.push_back({"guest", write_guest("refusal_two.data", {world.inner(0)}, {}), {}});
    EXPECT_THAT(error(merge(request)), HasSubstr("two guests are called guest"));
}

TEST_F(Refusal, OverwritingAnInput) {
    EXPECT_THAT(error(merge(request_of(host, guest, guest))), HasSubstr("would be overwritten"));
}

TEST_F(Refusal, AGuestOfAnotherTime) {
    World other(77);
    const auto stranger = write_guest("stranger.data", {other.inner(0), other.inner(1)}, {});
    EXPECT_THAT(error(merge(request_of(host, stranger))), HasSubstr("do not belong together"));
}

TEST_F(Refusal, MoreCpusThanAnyMachineHas) {
    const auto large =
        write_guest("large.data", {world.inner(0), world.inner(1), world.inner(0)}, {second, 0});
    EXPECT_THAT(error(merge(request_of(host, large))), HasSubstr("no machine"));
}

TEST_F(Refusal, AGuestThatNeverStops) {
    HostRecording busy;
    busy.runs({{host_from, host_to}}, vmm, vmm + 1, 0);
    const auto same = write_guest("busy.data", {{{11 * second, 12 * second}}}, {});
    EXPECT_THAT(error(merge(request_of(busy.recording.write("busy_host.data"), same))),
                HasSubstr("ambiguous"));
}

TEST_F(Refusal, TooFewSamples) {
    const auto few = write_guest(
        "few.data", {part(world.vcpus[0], 11 * second, 11 * second + 3 * ms)}, {second, 0});
    EXPECT_NE(error(merge(request_of(host, few))), "merged");
}

TEST_F(Refusal, TwoRecordingsOfOneGuest) {
    auto request = request_of(host, guest);
    request.guests.push_back(
        {"again", write_guest("again.data", {world.inner(0), world.inner(1)}, {second, 0}), {}});
    EXPECT_THAT(error(merge(request)), HasSubstr("both come from the machine"));
}

TEST_F(Refusal, NoFileAndNoRecording) {
    EXPECT_NE(error(merge(request_of(host, scratch::file("absent.data")))), "merged");
    std::ofstream(scratch::file("text.data")) << "this is no recording";
    EXPECT_NE(error(merge(request_of(host, scratch::file("text.data")))), "merged");
}

// What is left of both is still merged, and said to be cut short.
TEST_F(Refusal, TruncatedRecordingsAreMergedAsFarAsTheyGo) {
    const auto cut = [](const std::string& path) {
        std::filesystem::resize_file(path, std::filesystem::file_size(path) * 4 / 5);
    };
    cut(host);
    cut(guest);
    const auto report = merge(request_of(host, guest, scratch::file("cut.data")));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_THAT(report->warnings, ::testing::Contains(HasSubstr("cut short")));
    EXPECT_NEAR(static_cast<double>(report->guests[0].offset_ns), 1e9,
                report->guests[0].uncertainty_ns);
}

}  // namespace
}  // namespace ringside::merge
