// What a profile says of devices, and how a file of one is read, also when it was forged.
#include "soft/guest_profile.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "soft/profile_buckets.h"
#include "softpmu/profile_log.h"
#include "softpmu/store.h"
#include "tests/scratch.h"

namespace ringside::soft {
namespace {

TEST(ExitBuckets, FollowEachOther) {
    for (std::uint32_t i = 0; i + 1 < SOFT_EXIT_BUCKETS; ++i) {
        EXPECT_LT(bucket_begin(i), bucket_begin(i + 1));
        EXPECT_EQ(exit_bucket(bucket_begin(i)), i);
        EXPECT_EQ(exit_bucket(bucket_begin(i + 1) - 1), i);
    }
    EXPECT_EQ(exit_bucket(~std::uint64_t{0}), SOFT_EXIT_BUCKETS - 1);
}

TEST(ExitBuckets, HaveAMedian) {
    std::array<std::uint32_t, SOFT_EXIT_BUCKETS> histogram{};
    EXPECT_EQ(median_of(histogram), 0u);
    for (const std::uint64_t ns : {500, 1000, 1000, 1000, 90'000'000}) ++histogram[exit_bucket(ns)];
    EXPECT_NEAR(static_cast<double>(median_of(histogram)), 1000, 125);
}

soft_exit exit_at(std::uint64_t ip, std::uint32_t device, bool write, std::uint64_t ns) {
    soft_exit exit{};
    exit.ip = ip;
    exit.device = device;
    exit.is_write = write ? 1 : 0;
    exit.count = 11;
    exit.timed = 10;
    exit.off_cpu = 1;
    exit.total_ns = 10 * ns;
    exit.histogram[exit_bucket(ns)] = 10;
    return exit;
}

TEST(DeviceCosts, AreByDeviceAndByFunction) {
    GuestProfile profile;
    profile.exits = {exit_at(0x100, 0, true, 500), exit_at(0x200, 0, false, 9000),
                     exit_at(0x300, 1, true, 700), exit_at(0, SOFT_EXIT_OTHERS, true, 1)};
    const std::vector<CountFile::Device> devices{{"rtl8139", 0, 0}, {"apic", 0, 0}};
    const auto by_device = device_costs(profile, devices);
    ASSERT_EQ(by_device.size(), 3u);
    EXPECT_EQ(by_device[0].device, "rtl8139") << "costs most";
    EXPECT_EQ(by_device[0].reads, 11u);
    EXPECT_EQ(by_device[0].writes, 11u);
    EXPECT_EQ(by_device[0].timed, 20u);
    EXPECT_EQ(by_device[0].off_cpu, 2u);
    EXPECT_EQ(by_device[0].total_ns, 95'000u);
    EXPECT_EQ(by_device[2].device, "others");
    const auto by_function = device_costs(
        profile, devices, [](std::uint64_t ip) { return ip == 0x200 ? "read_it" : "write_it"; });
    ASSERT_EQ(by_function.size(), 4u);
    EXPECT_EQ(by_function[0].function, "read_it");
    EXPECT_NEAR(static_cast<double>(by_function[0].median_ns), 9000, 1000);
}

TEST(DeviceNames, AreThoseOfTheGuestWhereQemuHasNone) {
    constexpr const char* iomem =
        "00000000-00000fff : Reserved\n"
        "c0000000-febfffff : PCI Bus 0000:00\n"
        "  febd1000-febd10ff : 0000:00:02.0\n"
        "    febd1000-febd10ff : 8139cp\n"
        "fed00000-fed003ff : HPET 0\n"
        "nonsense : x\n";
    EXPECT_EQ(device_name("0xfebd1000", iomem), "8139cp") << "the most exact";
    EXPECT_EQ(device_name("0xfed00000", iomem), "HPET 0");
    EXPECT_EQ(device_name("0xffff0000", iomem), "0xffff0000");
    EXPECT_EQ(device_name("apic-msi", iomem), "apic-msi");
}

TEST(HostRate, IsMeasuredOrAssumed) {
    soft_profile profile{};
    EXPECT_FALSE(host_rate(profile, 2.5).measured);
    EXPECT_DOUBLE_EQ(host_rate(profile, 2.5).per_ns, 2.5);
    profile.host[0] = {3000, 1000};
    profile.host[3] = {1000, 1000};
    EXPECT_TRUE(host_rate(profile, 2.5).measured);
    EXPECT_DOUBLE_EQ(host_rate(profile, 2.5).per_ns, 2);
    profile.host[0].instructions = 0;
    profile.host[3].instructions = 0;
    EXPECT_FALSE(host_rate(profile, 2.5).measured) << "a counter that never ran";
    profile.host[0].instructions = std::uint64_t{1} << 50;
    EXPECT_FALSE(host_rate(profile, 2.5).measured) << "no processor does that";
}

TEST(TaskState, HasAReason) {
    soft_profile profile{};
    EXPECT_EQ(why_no_tasks(profile), "");
    for (const auto state : {SOFT_TASKS_NO_KERNEL, SOFT_TASKS_NO_MEMORY, SOFT_TASKS_OTHER_KERNEL}) {
        profile.task_state = state;
        EXPECT_NE(why_no_tasks(profile), "");
    }
    profile.task_state = 77;
    EXPECT_NE(why_no_tasks(profile), "");
}

class ProfileFile : public ::testing::Test {
  protected:
    void SetUp() override {
        const std::string folder =
            scratch::file(::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder);
        ASSERT_EQ(store_.open({folder, 62, 1, 1000, 0, softpmu::ProfileLog::bytes()}), 0);
        log_.open(store_.profile(), store_.extension().profile_offset, 500);
        store_.show_vcpus(1);
        path_ = newest_file(folder, ::getpid()).value();
    }
    CountFile read() const { return CountFile::read(path_).value(); }

    softpmu::Store store_;
    softpmu::ProfileLog log_;
    std::string path_;
};

TEST_F(ProfileFile, IsReadBack) {
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, 0x1234, 1000, 7, 99);
    log_.add_access({0x1238, 3, true, 640, false});
    const auto profile = read().profile();
    ASSERT_TRUE(profile) << profile.error().what;
    ASSERT_EQ(profile->samples.size(), 1u);
    EXPECT_EQ(profile->samples[0].ip, 0x1234u);
    EXPECT_EQ(profile->samples[0].vcpu, 7u);
    EXPECT_EQ(profile->samples[0].pid, SOFT_NO_PROCESS) << "nobody said what the kernel is like";
    ASSERT_EQ(profile->exits.size(), 1u);
    EXPECT_EQ(profile->exits[0].total_ns, 640u);
    EXPECT_EQ(profile->lost_samples, 0u);
}

TEST_F(ProfileFile, TakesWhatTheKernelIsLike) {
    soft_kernel kernel{};
    kernel.known = 1;
    kernel.task_comm = 2976;
    ASSERT_TRUE(read().introduce(kernel));
    EXPECT_EQ(log_.shown().kernel.task_comm, 2976u);
    ASSERT_TRUE(read().stop_profile());
    EXPECT_EQ(log_.shown().stopped, 1u);
}

TEST_F(ProfileFile, SurvivesForgedNumbers) {
    log_.add_sample(SOFT_SAMPLE_INSTRUCTIONS, 0x1234, 1000, 0, 99);
    soft_profile& shown = log_.shown();
    shown.sample_count = 2;  // QEMU was killed before it had written the second
    EXPECT_EQ(read().profile().value().samples.size(), 1u);
    shown.sample_count = ~std::uint64_t{0};
    shown.map_count = shown.exit_count = ~std::uint64_t{0};
    const auto many = read().profile();
    ASSERT_TRUE(many) << many.error().what;
    EXPECT_EQ(many->samples.size(), 1u);
    EXPECT_EQ(many->maps.size(), SOFT_PROFILE_MAPS);
    EXPECT_EQ(many->exits.size(), SOFT_PROFILE_EXITS);
    EXPECT_GT(many->lost_samples, 0u);
    shown.sample_offset = ~std::uint64_t{0} - 8;
    EXPECT_FALSE(read().profile());
    store_.extension().profile_offset = ~std::uint64_t{0} - 8;
    EXPECT_FALSE(read().profile());
    EXPECT_FALSE(read().introduce({}));
    store_.extension().profile_offset = 0;
    EXPECT_FALSE(read().has_profile());
    EXPECT_FALSE(read().profile());
}

}  // namespace
}  // namespace ringside::soft
