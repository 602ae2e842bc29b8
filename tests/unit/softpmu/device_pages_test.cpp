#include "softpmu/device_pages.h"

#include <gtest/gtest.h>

namespace ringside::softpmu {
namespace {

constexpr std::uint64_t apic = 0xffffffffff5fd000;
constexpr std::uint64_t apic_place = 0xfee00000;

// A vCPU's accesses, and what was asked for their sake.
struct Machine {
    DevicePages pages;
    int asked = 0;

    std::optional<DevicePages::Reached> read(std::uint64_t address, std::uint64_t physical,
                                             std::uint32_t device) {
        return reach(address, physical, device, false);
    }
    std::optional<DevicePages::Reached> write(std::uint64_t address, std::uint64_t physical,
                                              std::uint32_t device) {
        return reach(address, physical, device, true);
    }

  private:
    std::optional<DevicePages::Reached> reach(std::uint64_t address, std::uint64_t physical,
                                              std::uint32_t device, bool is_write) {
        return pages.reach(address, physical, is_write, [&] {
            ++asked;
            return device;
        });
    }
};

TEST(DevicePages, AsksAtThePagesSecondAccessAndCountsBoth) {
    Machine machine;
    EXPECT_FALSE(machine.write(apic + 0xb0, apic_place + 0xb0, 7));
    EXPECT_EQ(machine.asked, 0) << "the first answer may be wrong";
    const auto second = machine.read(apic + 0x300, apic_place + 0x300, 7);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->device, 7u);
    EXPECT_EQ(second->reads, 1u);
    EXPECT_EQ(second->writes, 1u) << "the first one";
    const auto third = machine.read(apic, apic_place, 7);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->reads, 1u);
    EXPECT_EQ(third->writes, 0u);
    EXPECT_EQ(machine.asked, 1);
}

TEST(DevicePages, OneAnswerThatDiffersIsNotBelieved) {
    Machine machine;
    machine.write(apic, apic_place, 7);
    machine.write(apic, apic_place, 7);
    for (const std::uint64_t wrong : {0x0u, 0xc0000000u, 0xc0001000u}) {
        const auto reached = machine.write(apic, wrong, 66);
        ASSERT_TRUE(reached);
        EXPECT_EQ(reached->device, 7u) << wrong;
        EXPECT_EQ(reached->writes, 1u);
    }
    EXPECT_EQ(machine.write(apic, apic_place, 66)->device, 7u);
    EXPECT_EQ(machine.asked, 1) << "asking about a wrong place is what crashes";
}

TEST(DevicePages, APageThatReachesAnotherDeviceFromNowOn) {
    Machine machine;
    machine.read(apic, 0x1000, 1);
    machine.read(apic, 0x1000, 1);
    EXPECT_EQ(machine.read(apic + 8, 0x5008, 2)->device, 1u) << "this one could be a mistake";
    EXPECT_EQ(machine.read(apic + 16, 0x5010, 2)->device, 2u);
    EXPECT_EQ(machine.read(apic + 16, 0x5010, 9)->device, 2u);
    EXPECT_EQ(machine.asked, 2);
}

TEST(DevicePages, NothingIsSureWhileAnswersAlternate) {
    Machine machine;
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(machine.read(apic, i % 2 == 0 ? 0x1000 : 0x2000, 1));
    }
    const auto sure = machine.read(apic, 0x2000, 1);
    ASSERT_TRUE(sure);
    EXPECT_EQ(sure->reads, 5u) << "none is lost";
}

TEST(DevicePages, GuestsThatMapDevicesEverywhereTakeNoMoreRoom) {
    Machine machine;
    for (std::uint64_t page = 0; page < 100'000; ++page) {
        machine.read(page * 4096, 0x1000, 1);
        machine.read(page * 4096, 0x1000, 1);
    }
    EXPECT_EQ(machine.asked, 100'000);
    machine.read(0, 0x1000, 1);
    EXPECT_EQ(machine.asked, 100'000) << "the first page was forgotten";
}

}  // namespace
}  // namespace ringside::softpmu
