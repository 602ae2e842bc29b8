#include "profile/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "profile/symbolize.h"

namespace ringside::profile {
namespace {

using builders::DataBuilder;
using perf::CpuMode;

std::string three_threads() {
    DataBuilder builder;
    builder.comm(7, 7, 1, "app").comm(8, 8, 1, "other");
    builder.sample(7, 10, 0x10, 3).sample(8, 20, 0x20, 4);
    builder.sample(7, 30, 0xffff0000, 5, PERF_RECORD_MISC_GUEST_KERNEL);
    return DataBuilder::write(scratch::file("ringside_filter.data"), builder.file());
}

std::uint64_t counted(const Profile& profile) {
    std::uint64_t samples = 0;
    for (const auto& group : profile.groups) samples += group.samples;
    return samples;
}

TEST(Filter, OnlyWhatPassesIsCountedButTotalsStay) {
    const std::string file = three_threads();
    LoadOptions options;
    const auto count = [&] {
        const auto profile = load(file, options);
        EXPECT_EQ(profile->events[0].samples, 3u);
        EXPECT_EQ(profile->events[0].period, 12u);
        return counted(*profile);
    };
    EXPECT_EQ(count(), 3u);
    options.filter.pids = {7};
    EXPECT_EQ(count(), 2u);
    options.filter.modes = {CpuMode::guest_kernel};
    EXPECT_EQ(count(), 1u);
    options.filter = {};
    options.filter.comms = {"other"};
    EXPECT_EQ(count(), 1u);
    options.filter.comms = {"nobody"};
    EXPECT_EQ(count(), 0u);
    options.filter = {};
    options.filter.tids = {8};
    EXPECT_EQ(count(), 1u);
}

TEST(Filter, NamesAreComparedOnceTheyAreKnown) {
    LoadOptions options;
    options.keep.timeline = true;
    auto profile = load(three_threads(), options);
    ASSERT_TRUE(profile);
    Naming naming;
    for (LocationId id = 0; id < profile->locations.size(); ++id) {
        naming.of_location.push_back(id);
        naming.functions.push_back({"f" + std::to_string(id), "lib", CpuMode::user, true});
    }
    Filter filter;
    filter.symbols = {"f1"};
    keep_named(*profile, naming, filter);
    ASSERT_EQ(profile->groups.size(), 1u);
    EXPECT_EQ(profile->groups[0].location, 1u);
    ASSERT_EQ(profile->timeline.size(), 1u);
    EXPECT_EQ(profile->timeline[0].group, 0u);
    EXPECT_EQ(profile->timeline[0].time_ns, 20u);
    filter.modules = {"another"};
    keep_named(*profile, naming, filter);
    EXPECT_TRUE(profile->groups.empty());
}

TEST(Filter, ModesByNameAndBySide) {
    EXPECT_EQ(*parse_modes("user,kernel"), (std::vector{CpuMode::user, CpuMode::kernel}));
    EXPECT_EQ(*parse_modes("guest"), (std::vector{CpuMode::guest_user, CpuMode::guest_kernel}));
    EXPECT_FALSE(parse_modes("supervisor"));
    EXPECT_FALSE(parse_modes(""));
}

TEST(Window, InstantsAndParts) {
    const auto seconds = parse_window("1.5,2");
    ASSERT_TRUE(seconds);
    EXPECT_EQ(seconds->from_ns, 1'500'000'000u);
    EXPECT_EQ(seconds->until_ns, 2'000'000'000u);
    EXPECT_EQ(parse_window(",3")->from_ns, 0u);
    EXPECT_EQ(parse_window("3,")->until_ns, ~std::uint64_t{0});
    const auto parts = parse_window("10%-20%");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->within(1000, 2000).from_ns, 1100u);
    EXPECT_EQ(parts->within(1000, 2000).until_ns, 1200u);
    const auto second = parse_window("25%/2");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->within(0, 400).from_ns, 100u);
    EXPECT_EQ(second->within(0, 400).until_ns, 200u);
    for (const auto* wrong :
         {"", "1", "2,1", "a,b", "20%-10%", "110%-120%", "50%/0", "50%/3", "1,2,3"})
        EXPECT_FALSE(parse_window(wrong)) << wrong;
}

TEST(Window, PartsAreOfTheTimeThatSamplesSpan) {
    LoadOptions options;
    options.window = *parse_window("0%-50%");
    const auto profile = load(three_threads(), options);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->events[0].samples, 2u);  // at 10 and 20 of 10 to 30
}

}  // namespace
}  // namespace ringside::profile
