#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "profile/profile.h"

namespace ringside::profile {
namespace {

using builders::DataBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Load : public ::testing::Test {
  protected:
    std::string write(const std::string& bytes) {
        return DataBuilder::write(scratch::file("load.data"), bytes);
    }
    Profile loaded(const std::string& bytes, Keep keep = {}) {
        auto profile = load(write(bytes), {keep});
        EXPECT_TRUE(profile) << profile.error().what;
        return std::move(*profile);
    }
    // The file a group's samples point into, or "".
    static std::string module_of(const Profile& profile, const Group& group) {
        const auto& mapping = profile.locations[group.location].mapping;
        if (!mapping) return "";
        return profile.world->module(profile.world->mapping(*mapping).module).path;
    }
};

DataBuilder two_samples(base::ByteOrder order = base::ByteOrder::same) {
    DataBuilder builder(order);
    builder.comm(7, 7, 1, "sleeper").map(7, 2, 0x1000, 0x1000, 0, "/bin/sleeper");
    builder.sample(7, 10, 0x1234, 3).sample(7, 11, 0x1234, 4);
    return builder;
}

void expect_two_samples(const Profile& profile) {
    ASSERT_THAT(profile.groups, SizeIs(1));
    EXPECT_EQ(profile.groups[0].samples, 2u);
    EXPECT_EQ(profile.groups[0].period, 7u);
    EXPECT_EQ(profile.world->comm(profile.groups[0].comm), "sleeper");
    EXPECT_EQ(profile.events[0].samples, 2u);
}

TEST_F(Load, SamplesAlikeAreCountedTogether) {
    const auto profile = loaded(two_samples().file());
    expect_two_samples(profile);
    EXPECT_EQ(module_of(profile, profile.groups[0]), "/bin/sleeper");
    EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST_F(Load, TheOtherByteOrderReadsTheSame) {
    const auto profile = loaded(two_samples(base::ByteOrder::swapped).file());
    expect_two_samples(profile);
    EXPECT_EQ(module_of(profile, profile.groups[0]), "/bin/sleeper");
}

TEST_F(Load, PipesCarryTheirEventsAsRecords) {
    expect_two_samples(loaded(two_samples().pipe()));
    expect_two_samples(loaded(two_samples(base::ByteOrder::swapped).pipe()));
}

TEST_F(Load, CompressedRecordsAreReadLikeOthers) {
    const std::string plain = two_samples().records();
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 1));
    // Cut where a record is not: the stream does not care.
    DataBuilder builder;
    builder.record(81, 0, packed.substr(0, packed.size() / 2));
    builder.record(81, 0, packed.substr(packed.size() / 2));
    expect_two_samples(loaded(builder.file()));
}

TEST_F(Load, BrokenCompressionIsAWarning) {
    DataBuilder builder = two_samples();
    builder.record(81, 0, "this is not zstd");
    const auto profile = loaded(builder.file());
    expect_two_samples(profile);
    EXPECT_THAT(profile.warnings, ::testing::ElementsAre(HasSubstr("cannot be decompressed")));
}

TEST_F(Load, RecordsOutOfOrderAreSortedByTime) {
    DataBuilder builder;
    builder.sample(7, 10, 0x1234);  // before the record that says what is mapped there
    builder.map(7, 5, 0x1000, 0x1000, 0, "/bin/late").comm(7, 7, 4, "late");
    const auto profile = loaded(builder.file());
    ASSERT_THAT(profile.groups, SizeIs(1));
    EXPECT_EQ(module_of(profile, profile.groups[0]), "/bin/late");
    EXPECT_EQ(profile.world->comm(profile.groups[0].comm), "late");
}

TEST_F(Load, AMappingThatTakesAnothersPlaceCountsFromThenOn) {
    DataBuilder builder;
    builder.map(7, 1, 0x1000, 0x1000, 0, "/lib/old").map(7, 20, 0x1000, 0x800, 0, "/lib/new");
    builder.sample(7, 10, 0x1234).sample(7, 30, 0x1234).sample(7, 30, 0x1900);
    const auto profile = loaded(builder.file());
    ASSERT_THAT(profile.groups, SizeIs(3));
    EXPECT_EQ(module_of(profile, profile.groups[0]), "/lib/old");
    EXPECT_EQ(module_of(profile, profile.groups[1]), "/lib/new");
    EXPECT_EQ(module_of(profile, profile.groups[2]), "/lib/old");
}

TEST_F(Load, ChildrenSeeTheirParentsMappingsUntilTheyExec) {
    DataBuilder builder;
    builder.comm(7, 7, 1, "shell").map(7, 1, 0x1000, 0x1000, 0, "/bin/sh").fork(8, 7, 10);
    builder.sample(8, 11, 0x1234);
    builder.comm(8, 8, 20, "tool", true).map(8, 21, 0x5000, 0x1000, 0, "/bin/tool");
    builder.sample(8, 30, 0x1234).sample(8, 30, 0x5234);
    const auto profile = loaded(builder.file());
    ASSERT_THAT(profile.groups, SizeIs(3));
    EXPECT_EQ(module_of(profile, profile.groups[0]), "/bin/sh");
    EXPECT_EQ(profile.world->comm(profile.groups[0].comm), "shell");
    EXPECT_EQ(module_of(profile, profile.groups[1]), "");
    EXPECT_EQ(module_of(profile, profile.groups[2]), "/bin/tool");
    EXPECT_EQ(profile.world->comm(profile.groups[2].comm), "tool");
}

TEST_F(Load, GuestSamplesStayWithTheirMachine) {
    DataBuilder builder;
    builder.map(42, 0, 0xffff0000, 0x10000, 0, "[guest.kernel.kallsyms.42]",
                PERF_RECORD_MISC_GUEST_KERNEL);
    builder.sample(42, 10, 0xffff0100, 1, PERF_RECORD_MISC_GUEST_KERNEL);
    builder.sample(43, 10, 0xffff0100, 1, PERF_RECORD_MISC_GUEST_KERNEL);
    builder.sample(42, 10, 0x400100, 1, PERF_RECORD_MISC_GUEST_USER);
    const auto profile = loaded(builder.file());
    ASSERT_THAT(profile.groups, SizeIs(3));
    EXPECT_EQ(module_of(profile, profile.groups[0]), "[guest.kernel.kallsyms.42]");
    EXPECT_EQ(module_of(profile, profile.groups[1]), "");
    EXPECT_EQ(profile.locations[profile.groups[2].location].mode, perf::CpuMode::guest_user);
}

TEST_F(Load, LostSamplesAreCounted) {
    DataBuilder builder = two_samples();
    builder.lost(5, 12).lost(6, 13);
    EXPECT_EQ(loaded(builder.file()).events[0].lost, 11u);
}

TEST_F(Load, ChainsBecomeStacksFromTheOutermostFrame) {
    DataBuilder builder(base::ByteOrder::same, true);
    const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    builder.comm(7, 7, 1, "app");
    builder.sample(7, 10, 0x30, 1, PERF_RECORD_MISC_USER, {user, 0x30, 0x20, 0x10});
    builder.sample(7, 11, 0x40, 1, PERF_RECORD_MISC_USER, {user, 0x40, 0x20, 0x10});
    Keep keep;
    keep.stack = true;
    const auto profile = loaded(builder.file(), keep);
    ASSERT_THAT(profile.groups, SizeIs(2));
    const auto& stacks = profile.stacks;
    const auto& one = stacks[profile.groups[0].stack];
    const auto& other = stacks[profile.groups[1].stack];
    EXPECT_EQ(profile.locations[one.location].address, 0x30u);
    EXPECT_EQ(profile.locations[other.location].address, 0x40u);
    EXPECT_EQ(one.caller, other.caller);
    const auto& outermost = stacks[stacks[one.caller].caller];
    EXPECT_EQ(profile.locations[outermost.location].address, 0x10u);
    const auto& root = stacks[outermost.caller];
    ASSERT_TRUE(is_comm_frame(root.location));
    EXPECT_EQ(profile.world->comm(comm_of_frame(root.location)), "app");
}

TEST_F(Load, CutAnywhereAFileGivesWhatIsThereOrAnError) {
    const std::string whole = two_samples().file();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        auto profile = load(write(whole.substr(0, size)), {});
        if (profile) {
            EXPECT_FALSE(profile->warnings.empty() && profile->events[0].samples != 2) << size;
        } else {
            EXPECT_FALSE(profile.error().what.empty()) << size;
        }
    }
}

TEST_F(Load, ARecordOfImpossibleSizeIsNamedWithItsPlace) {
    std::string bytes = two_samples().file();
    const std::size_t last_sample = bytes.size() - 40;
    bytes[last_sample + 6] = 3;
    bytes[last_sample + 7] = 0;
    const auto profile = loaded(bytes);
    EXPECT_EQ(profile.events[0].samples, 1u);
    EXPECT_THAT(profile.warnings,
                ::testing::ElementsAre(HasSubstr("offset " + std::to_string(last_sample))));
}

TEST_F(Load, AnUnfinishedFileIsReadToItsEnd) {
    std::string bytes = two_samples().file();
    std::fill_n(bytes.begin() + 48, 8, '\0');  // the size of the data, written last
    const auto profile = loaded(bytes);
    expect_two_samples(profile);
    EXPECT_THAT(profile.warnings, ::testing::ElementsAre(HasSubstr("killed")));
}

TEST_F(Load, OtherFilesAreRefusedWithTheOffset) {
    auto profile = load(write("#!/bin/sh\necho this is not a profile\n"), {});
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().what, HasSubstr("offset 0"));
    EXPECT_FALSE(load("/no/such/file", {}));
}

TEST_F(Load, AWindowOfTimeLeavesOutTheRest) {
    auto profile = load(write(two_samples().file()), {{}, {11, 20, {}}, {}});
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->events[0].samples, 1u);
}

}  // namespace
}  // namespace ringside::profile
