#include "trust/shared_page.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vpmu/page_reader.h"

namespace ringside::trust {
namespace {

using ::testing::HasSubstr;

// A page of two vCPUs on which counters 1 and 12 of the second are starved.
std::vector<std::uint64_t> starved_page() {
    std::vector<std::uint64_t> words(vpmu::page_bytes(2, 0, 0) / 8);
    EXPECT_TRUE(vpmu::format_page(words.data(), words.size() * 8, 2, 0, 0));
    vpmu::describe_page(words.data(), vpmu::Policy::cpu_switch, vpmu::Architecture::amd);
    vpmu_page_vcpu& vcpu = vpmu::vcpu_of(words.data(), 1);
    vcpu.starved = 1u << 1 | 1u << 12;
    vcpu.starved_ns = 5000;
    vcpu.counter[1].event = 0xc0 << 8 | 0x02;
    return words;
}

class SharedPage : public ::testing::Test {
  protected:
    SharedPage()
        : dir_(std::filesystem::path(::testing::TempDir()) /
               ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::filesystem::remove_all(dir_);
        std::filesystem::create_directories(dir_);
    }
    ~SharedPage() override { std::filesystem::remove_all(dir_); }

    void put(const std::string& path, std::string_view bytes) {
        std::filesystem::create_directories((dir_ / path).parent_path());
        std::ofstream(dir_ / path, std::ios::binary) << bytes;
    }
    void put(const std::string& path, const std::vector<std::uint64_t>& words) {
        put(path, {reinterpret_cast<const char*>(words.data()), words.size() * 8});
    }
    void put_device(const std::string& name, const char* vendor, const char* device) {
        put("sys/bus/pci/devices/" + name + "/vendor", std::string(vendor) + "\n");
        put("sys/bus/pci/devices/" + name + "/device", std::string(device) + "\n");
        put("sys/bus/pci/devices/" + name + "/resource2", starved_page());
    }

    std::filesystem::path dir_;
};

void expect_starved(const PageReport& report) {
    EXPECT_EQ(report.vcpus, 2u);
    EXPECT_EQ(report.starved_ns, 5000u);
    ASSERT_EQ(report.starved.size(), 2u);
    EXPECT_EQ(report.starved[0].vcpu, 1u);
    EXPECT_EQ(report.starved[0].counter, 1u);
    EXPECT_EQ(report.starved[0].event, 0xc002u);
    EXPECT_EQ(report.starved[1].counter, 12u);
}

TEST_F(SharedPage, IsReadFromAFile) {
    put("page", starved_page());
    const auto report = examine_page({}, dir_ / "page");
    ASSERT_TRUE(report.source) << report.reason;
    EXPECT_TRUE(report.asked_for);
    EXPECT_EQ(*report.source, dir_ / "page");
    EXPECT_EQ(report.policy, "cpu_switch");
    expect_starved(report);
}

TEST_F(SharedPage, IsFoundBehindAnIvshmemDevice) {
    put_device("0000:00:01.0", "0x8086", "0x1110");  // another maker's
    put_device("0000:00:02.0", "0x1af4", "0x1000");  // another device
    const base::SysRoot root(dir_.string());
    EXPECT_FALSE(examine_page(root, "").source);
    put_device("0000:00:03.0", "0x1af4", "0x1110");
    const auto report = examine_page(root, "");
    ASSERT_TRUE(report.source) << report.reason;
    EXPECT_EQ(*report.source, "/sys/bus/pci/devices/0000:00:03.0/resource2");
    EXPECT_FALSE(report.asked_for);
    expect_starved(report);
}

TEST_F(SharedPage, WhatIsNoPageIsRefusedWithAReason) {
    put("empty", "");
    put("text", "hello, this is not a page, although it is long enough to hold one's header....");
    auto cut = starved_page();
    cut.resize(cut.size() / 2);
    put("cut", cut);
    auto newer = starved_page();
    reinterpret_cast<vpmu_page_header*>(newer.data())->version = 99;
    put("newer", newer);
    for (const char* name : {"empty", "text", "cut", "newer"}) {
        const auto report = examine_page({}, dir_ / name);
        EXPECT_FALSE(report.source) << name;
        EXPECT_THAT(report.reason, HasSubstr("no such page, or a damaged one")) << name;
    }
    EXPECT_THAT(examine_page({}, dir_ / "nowhere").reason, HasSubstr("no regular file"));
    EXPECT_THAT(examine_page({}, dir_).reason, HasSubstr("no regular file"));
    EXPECT_THAT(examine_page(base::SysRoot(dir_.string()), "").reason,
                HasSubstr("no ivshmem device"));
}

TEST_F(SharedPage, AVcpuThatIsNeverSettledIsSaidToBe) {
    auto words = starved_page();
    vpmu::vcpu_of(words.data(), 1).sequence = 7;
    reinterpret_cast<vpmu_page_header*>(words.data())->policy = 1000;
    put("page", words);
    const auto report = examine_page({}, dir_ / "page");
    ASSERT_TRUE(report.source);
    EXPECT_EQ(report.unreadable_vcpus, 1u);
    EXPECT_TRUE(report.starved.empty());
    EXPECT_EQ(report.policy, "unknown");
}

}  // namespace
}  // namespace ringside::trust
