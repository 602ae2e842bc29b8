// A profile of a machine, written as a recording and read as any other.
#include "record/soft_guest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "profile/rows.h"
#include "profile/symbolize.h"

namespace ringside::record {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::uint64_t rx_poll = 0xffffffff81000040;
constexpr std::uint64_t csum = 0xffffffff81000100;

// What a guest says of itself.
base::SysRoot made_guest(const std::string& name) {
    const std::string folder = scratch::file(name);
    fs::create_directories(folder + "/proc");
    std::ofstream(folder + "/proc/kallsyms") << "ffffffff81000000 T _text\n"
                                                "ffffffff81000000 T _stext\n"
                                                "ffffffff81000040 t cp_rx_poll\n"
                                                "ffffffff81000100 T csum_partial\n"
                                                "ffffffff81001000 T _etext\n";
    return base::SysRoot(folder);
}

soft_guest_sample sample(std::uint64_t ip, std::uint64_t time_ns, std::uint32_t pid,
                         const char* comm, std::uint64_t amount = 1000,
                         soft_sample_kind kind = SOFT_SAMPLE_INSTRUCTIONS) {
    soft_guest_sample made{
        ip, time_ns, amount, static_cast<std::uint32_t>(kind), 0, pid, pid, SOFT_NO_MAP, 0, {}};
    std::strncpy(made.comm, comm, sizeof made.comm - 1);
    return made;
}

GuestRecording recording_at(const std::string& file) {
    GuestRecording recording;
    recording.file = scratch::file(file);
    recording.period = 1000;
    recording.instructions_per_ns = 2.5;
    recording.domain_unit = "instructions and 2.5 for each ns";
    return recording;
}

// By event, "comm function" to the sum of periods.
using Weights = std::map<std::string, std::uint64_t>;
std::vector<Weights> weights_in(const std::string& file) {
    const auto columns = profile::parse_columns("comm,dso,symbol").value();
    profile::LoadOptions options;
    options.keep = profile::kept_for(columns);
    auto loaded = profile::load(file, options);
    EXPECT_TRUE(loaded) << loaded.error().what;
    const auto naming = profile::symbolize(*loaded, {});
    std::vector<Weights> events;
    for (const auto& event : profile::make_rows(*loaded, naming, columns)) {
        Weights& weights = events.emplace_back();
        for (const auto& row : event.rows) {
            weights[loaded->world->comm(row.comm) + " " + naming.functions[row.function].module +
                    " " + naming.functions[row.function].name] += row.period;
        }
    }
    return events;
}

TEST(GuestRecording, HasTwoAccountings) {
    soft::GuestProfile profile;
    profile.samples = {sample(csum, 30, 5, "sh"), sample(rx_poll, 10, 0, "swapper/1"),
                       sample(rx_poll, 20, 5, "sh", 4000, SOFT_SAMPLE_DEVICE_NS)};
    profile.lost_samples = 3;
    const auto recording = recording_at("two.data");
    const auto summary = write_guest_recording(made_guest("two"), recording, profile);
    ASSERT_TRUE(summary) << summary.error().what;
    EXPECT_EQ(summary->progress.tally.samples, 3u);
    EXPECT_EQ(summary->progress.tally.lost, 3u);
    const auto events = weights_in(recording.file);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_THAT(events[0], ElementsAre(Pair("sh [kernel.kallsyms] csum_partial", 1000),
                                       Pair("swapper [kernel.kallsyms] cp_rx_poll", 1000)));
    EXPECT_THAT(events[1], ElementsAre(Pair("sh [kernel.kallsyms] cp_rx_poll", 10'000),
                                       Pair("sh [kernel.kallsyms] csum_partial", 1000),
                                       Pair("swapper [kernel.kallsyms] cp_rx_poll", 1000)));
    const auto loaded = profile::load(recording.file);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->events[0].name, cpu_switch_event);
    EXPECT_EQ(loaded->events[1].unit, recording.domain_unit);
    EXPECT_EQ(loaded->events[1].lost, 3u);
}

soft_map map_of(std::uint64_t start, const char* path) {
    soft_map map{start, start + 0x1000, 0, {}};
    std::strncpy(map.path, path, sizeof map.path - 1);
    return map;
}

TEST(GuestRecording, FollowsAProcessToItsNextProgram) {
    soft::GuestProfile profile;
    profile.maps = {map_of(0x5000, "/bin/first"), map_of(0x5000, "/bin/second")};
    for (std::uint32_t i = 0; i < 3; ++i) {
        auto made = sample(0x5010, 10 + i, 7, i == 1 ? "second" : "first");
        made.map = i == 1 ? 1 : 0;
        profile.samples.push_back(made);
    }
    profile.samples.push_back(sample(0x9000, 20, SOFT_NO_PROCESS, ""));
    const auto recording = recording_at("exec.data");
    ASSERT_TRUE(write_guest_recording(made_guest("exec"), recording, profile));
    const auto events = weights_in(recording.file);
    ASSERT_EQ(events.size(), 2u);
    std::map<std::string, std::uint64_t> modules;
    for (const auto& [name, weight] : events[0]) {
        modules[name.substr(0, name.rfind(' '))] += weight;
    }
    EXPECT_EQ(modules["first first"], 2000u) << "before and after";
    EXPECT_EQ(modules["second second"], 1000u);
}

TEST(GuestRecording, TakesNoFileForAnother) {
    soft::GuestProfile profile;
    profile.maps = {map_of(0x5000, "/bin/sh")};
    profile.samples = {sample(0x5010, 10, 7, "sh")};
    profile.samples[0].map = 0;
    auto recording = recording_at("names.data");
    ASSERT_TRUE(write_guest_recording(made_guest("names"), recording, profile));
    std::ifstream file(recording.file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(bytes.find("[guest]/bin/sh"), std::string::npos);
    recording.file_here = [](const std::string& path) { return "/host" + path; };
    ASSERT_TRUE(write_guest_recording(made_guest("names"), recording, profile));
    std::ifstream again(recording.file, std::ios::binary);
    const std::string here(std::istreambuf_iterator<char>(again), {});
    EXPECT_NE(here.find("/host/bin/sh"), std::string::npos);
    EXPECT_EQ(here.find("[guest]"), std::string::npos);
}

}  // namespace
}  // namespace ringside::record
