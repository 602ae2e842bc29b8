// The driver of the shared page between a hypervisor that lies and a device that leaves.
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/vpmu_page.h"
#include "machine.h"

namespace {

using ::testing::AnyOf;

// ---- logical.c, over the hypervisor's page

class Hypervisor : public ::testing::Test {
  protected:
    void SetUp() override {
        std::memset(machine_asked, 0, sizeof machine_asked);
        machine_warnings = 0;
        machine_register = 0;
        machine_attach_page(vcpus_.data());
    }
    void TearDown() override { machine_attach_page(nullptr); }
    vpmu_page_vcpu& vcpu() { return vcpus_[0]; }

    std::vector<vpmu_page_vcpu> vcpus_ = std::vector<vpmu_page_vcpu>(MACHINE_CPUS);
};

// All CPUs try at the same time, each for itself: what one finds is not what another looks at.
TEST_F(Hypervisor, HasAsManyCountersAsTheCpuWithTheFewest) {
    const unsigned granted[MACHINE_CPUS] = {6, 3, 12, 9};
    std::copy(std::begin(granted), std::end(granted), machine_granted);
    for (auto& vcpu : vcpus_) {
        vcpu.active = ~0ull;
        for (auto& counter : vcpu.counter) counter.width_bits = 64;
    }
    EXPECT_EQ(logical_try_counters(), 3);
    for (unsigned cpu = 0; cpu < MACHINE_CPUS; ++cpu) {
        for (unsigned counter = 0; counter < 64; ++counter) {
            const bool tried = counter <= granted[cpu] && counter < VPMU_PAGE_FIXED;
            EXPECT_EQ(machine_asked[cpu][counter], tried ? 1u : 0u)
                << "CPU " << cpu << ", counter " << counter;
        }
    }
    logical_forget_counters();
}

TEST_F(Hypervisor, WithoutCountersOnOneCpuIsNone) {
    const unsigned granted[MACHINE_CPUS] = {6, 0, 6, 6};
    std::copy(std::begin(granted), std::end(granted), machine_granted);
    for (auto& vcpu : vcpus_) {
        vcpu.active = ~0ull;
        for (auto& counter : vcpu.counter) counter.width_bits = 64;
    }
    EXPECT_LT(logical_try_counters(), 0);
    logical_forget_counters();
}

TEST_F(Hypervisor, MayGiveAnyWidth) {
    machine_register = 0x1'2345'6789'0abcu;
    vcpu().active = 1;
    vcpu().counter[0] = {0, 1000, 0xbc, 0, 0};
    const auto counted = [&](std::uint32_t width_bits) {
        vcpu().counter[0].width_bits = width_bits;
        return logical_count(0) - 1000;
    };
    const std::uint64_t whole = machine_register - 0xbc;
    EXPECT_EQ(counted(0), 0u);
    EXPECT_EQ(counted(1), whole & 1);
    EXPECT_EQ(counted(32), whole & 0xffff'ffffu);
    EXPECT_EQ(counted(63), whole);
    EXPECT_EQ(counted(64), whole);
    EXPECT_EQ(counted(65), whole);
    EXPECT_EQ(counted(~0u), whole);
    vcpu().active = 0;
    EXPECT_EQ(counted(64), 0u) << "a counter that stands still is its sum";
}

// A page that is always being changed does not hold the CPU.
TEST_F(Hypervisor, ThatNeverEndsAChangeHasCountedNothingSince) {
    machine_register = 5;
    vcpu().counter[0] = {0, 1000, 0, 0, 64};
    EXPECT_EQ(logical_count(0), 1000u);
    vcpu().counter[0].sum = 2000;
    vcpu().sequence = 1;
    EXPECT_EQ(logical_count(0), 1000u);
    EXPECT_EQ(machine_warnings, 1u);
    vcpu().sequence = 2;
    EXPECT_EQ(logical_count(0), 2000u);
}

// ---- ivshmem.c, over a device

class Device : public ::testing::Test {
  protected:
    static constexpr std::size_t bytes = 1 << 20;
    static constexpr std::uint32_t ring_entries = 64;
    static constexpr std::uint64_t never = VPMU_PAGE_NEVER;

    void SetUp() override {
        machine_have_device(bytes);
        machine_samples = 0;
        auto& header = page();
        header.magic = VPMU_PAGE_MAGIC;
        header.version = VPMU_PAGE_VERSION;
        header.bytes = bytes;
        header.flags = VPMU_PAGE_RAW_IS_LIVE;
        header.vcpu_count = MACHINE_CPUS;
        header.vcpu_offset = 4096;
        header.alarm_offset = 65536;
        header.ring_entries = ring_entries;
        header.ring_offset = 131072;
        for (int cpu = 0; cpu < MACHINE_CPUS; ++cpu) {
            vcpu(cpu).active = ~0ull;
            machine_raw[cpu] = &vcpu(cpu).counter[0].raw;
        }
    }
    void TearDown() override { std::memset(machine_raw, 0, sizeof machine_raw); }
    static char* memory() { return static_cast<char*>(machine_device_memory()); }
    static vpmu_page_header& page() { return *reinterpret_cast<vpmu_page_header*>(memory()); }
    static vpmu_page_vcpu& vcpu(int cpu = 0) {
        return reinterpret_cast<vpmu_page_vcpu*>(memory() + 4096)[cpu];
    }
    static vpmu_page_alarms& alarms() {
        return *reinterpret_cast<vpmu_page_alarms*>(memory() + 65536);
    }
    static vpmu_page_sample& sample(std::size_t index) {
        return reinterpret_cast<vpmu_page_sample*>(memory() + 131072)[index];
    }
    static std::uint64_t limit() { return alarms().counter[0].limit; }
    static driver_event* open(std::uint64_t period = 0) {
        int error = 0;
        driver_event* event = driver_open_event(0, period, &error);
        EXPECT_EQ(error, 0);
        return event;
    }
};

TEST_F(Device, WithAPageThatReachesBeyondItselfIsRefused) {
    const auto refused = [&](const char* what, auto change) {
        SetUp();
        change(page());
        EXPECT_THAT(ivshmem_plug(), AnyOf(-EINVAL, -ENODEV)) << what;
    };
    using Header = vpmu_page_header;
    refused("another magic", [](Header& page) { page.magic = 1; });
    refused("another version", [](Header& page) { page.version = 9; });
    refused("more than the device", [](Header& page) { page.bytes = bytes + 8; });
    refused("too few vCPUs", [](Header& page) { page.vcpu_count = MACHINE_CPUS - 1; });
    refused("vCPUs that wrap", [](Header& page) { page.vcpu_count = 0xffffffff; });
    refused("vCPUs at the end", [](Header& page) { page.vcpu_offset = bytes - 8; });
    refused("vCPUs in the header", [](Header& page) { page.vcpu_offset = 8; });
    refused("vCPUs at an odd place", [](Header& page) { page.vcpu_offset = 4097; });
    refused("no alarms", [](Header& page) { page.alarm_offset = 0; });
    refused("alarms beyond", [](Header& page) { page.alarm_offset = 0xfffffff8; });
    refused("a ring of no entries", [](Header& page) { page.ring_entries = 0; });
    refused("a ring of three", [](Header& page) { page.ring_entries = 3; });
    refused("a ring too large", [](Header& page) { page.ring_entries = 0x80000000; });
    refused("a ring beyond", [](Header& page) { page.ring_offset = bytes - 64; });
}

TEST_F(Device, ThatDoesNotCountAtItsPlaceIsRefused) {
    machine_raw[2] = &vcpu(1).counter[0].raw;
    EXPECT_EQ(ivshmem_plug(), -ENODEV);
}

TEST_F(Device, Counts) {
    ASSERT_EQ(ivshmem_plug(), 0);
    driver_event* event = open();
    vcpu().counter[0].raw = 1000;
    ASSERT_EQ(driver_add(event), 0);
    EXPECT_EQ(driver_index(event), 1u);
    vcpu().counter[0].raw = 1500;
    EXPECT_EQ(driver_read(event), 500);
    driver_delete(event);
    driver_close(event);
    ivshmem_unplug();
}

// Whatever stands in the ring, and however far its head is, what is taken is at most a ring of it.
TEST_F(Device, MayPutAnythingIntoItsRing) {
    ASSERT_EQ(ivshmem_plug(), 0);
    driver_event* event = open(100'000);
    ASSERT_EQ(driver_add(event), 0);
    for (std::uint32_t i = 0; i < ring_entries; ++i) sample(i) = {i, 0, 0, 0, 0};
    const auto rung = [&](std::uint64_t head) {
        const auto before = machine_samples;
        vcpu().ring_head = head;
        ivshmem_ring();
        return machine_samples - before;
    };
    EXPECT_EQ(rung(3), 3u);
    EXPECT_EQ(rung(3), 0u);
    EXPECT_EQ(rung(3 + ring_entries + 10), ring_entries - 1);
    EXPECT_EQ(rung(~0ull), ring_entries - 1) << "far ahead";
    EXPECT_EQ(rung(5), 6u) << "it wraps";
    EXPECT_EQ(rung(4), ring_entries - 1) << "behind, which is ahead by nearly all there is";
    for (std::uint32_t i = 0; i < ring_entries; ++i) sample(i).counter = 0xffffffff - i;
    const auto lost = ivshmem_lost();
    EXPECT_EQ(rung(4 + 10), 0u) << "of counters that there are not";
    EXPECT_EQ(ivshmem_lost() - lost, 10u);
    driver_delete(event);
    driver_close(event);
    ivshmem_unplug();
}

// From then on its memory is deadly.
TEST_F(Device, LeavesWhileEventsAreOpen) {
    ASSERT_EQ(ivshmem_plug(), 0);
    driver_event* counting = open();
    driver_event* sampling = open(100'000);
    driver_event* waiting = open();
    vcpu().counter[0].raw = 1000;
    ASSERT_EQ(driver_add(counting), 0);
    ASSERT_EQ(driver_add(sampling), 0);
    EXPECT_NE(limit(), never);
    vcpu().counter[0].raw = 3000;
    EXPECT_EQ(driver_read(counting), 2000);
    ivshmem_unplug();

    EXPECT_EQ(driver_read(counting), 2000) << "what was counted stays";
    EXPECT_EQ(driver_index(counting), 0u) << "there is nothing to read without the kernel";
    EXPECT_EQ(driver_add(waiting), -ENODEV);
    driver_delete(counting);
    driver_delete(sampling);
    EXPECT_EQ(driver_add(sampling), -ENODEV);
    EXPECT_EQ(driver_read(sampling), 0);
    ivshmem_ring();
    int error = 0;
    EXPECT_EQ(driver_open_event(0, 0, &error), nullptr);
    EXPECT_EQ(error, -ENODEV);
    driver_event* inherited = driver_inherit(counting, &error);
    ASSERT_NE(inherited, nullptr) << "what is measured could not fork any more";
    EXPECT_EQ(driver_add(inherited), -ENODEV);
    EXPECT_EQ(driver_read(inherited), 0);

    SetUp();
    EXPECT_EQ(ivshmem_plug(), -EBUSY) << "old events are of no use to another device";
    for (driver_event* event : {counting, sampling, waiting, inherited}) driver_close(event);
    SetUp();
    ASSERT_EQ(ivshmem_plug(), 0);
    driver_event* event = open();
    EXPECT_EQ(driver_add(event), 0);
    driver_delete(event);
    driver_close(event);
    ivshmem_unplug();
}

TEST_F(Device, LeavesWithoutAlarms) {
    ASSERT_EQ(ivshmem_plug(), 0);
    driver_event* sampling = open(100'000);
    ASSERT_EQ(driver_add(sampling), 0);
    ivshmem_unplug();
    EXPECT_EQ(limit(), never) << "nobody would hear it";
    driver_delete(sampling);
    driver_close(sampling);
}

}  // namespace
