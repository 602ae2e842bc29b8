// Reading a perf event of a machine's soft PMU, on pages that this test writes in the place of
// plugin, kernel and driver.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "abi/soft_counts.h"
#include "components/soft/guest.h"
#include "tests/scratch.h"

namespace ringside::components::soft {
namespace {

constexpr std::size_t page_bytes = 65536;

// A page of two vCPUs, and perf's page of an event.
struct Machine {
    explicit Machine(std::uint32_t flags = VPMU_PAGE_RAW_IS_LIVE) {
        void* memory =
            ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_TRUE(vpmu::format_page(memory, page_bytes, 2, 0, 0));
        static_cast<vpmu_page_header*>(memory)->flags = flags;
        shared = memory;
        auto mapped = MachinePage::over(base::Mmap(memory, page_bytes));
        EXPECT_TRUE(mapped);
        page.emplace(std::move(*mapped));
    }
    void count(unsigned vcpu, std::uint64_t value) const {
        vpmu::vcpu_of(shared, vcpu).counter[SOFT_USER_INSTRUCTIONS].raw = value;
    }
    // As the driver's event_idx has it.
    void run_on(unsigned vcpu, std::int64_t offset) {
        control.index = 1 + vcpu * VPMU_PAGE_COUNTERS + SOFT_USER_INSTRUCTIONS;
        control.offset = offset;
    }
    std::optional<std::uint64_t> read() const {
        std::uint64_t value = 0;
        if (!page->read_event(control, value)) return std::nullopt;
        return value;
    }

    void* shared = nullptr;
    std::optional<MachinePage> page;
    perf_event_mmap_page control{};
};

TEST(SoftInMachine, AThreadsCountIsItsSumAndWhatItsCpuCountedSince) {
    Machine machine;
    machine.count(0, 1000);
    machine.count(1, 5000);
    machine.run_on(0, 7 - 900);
    EXPECT_EQ(machine.read(), 107u);
    machine.run_on(1, 107 - 5000);
    EXPECT_EQ(machine.read(), 107u);
    machine.count(1, 5010);
    EXPECT_EQ(machine.read(), 117u);
}

TEST(SoftInMachine, AnEventOnNoCpuIsAskedOfTheKernel) {
    Machine machine;
    EXPECT_EQ(machine.read(), std::nullopt);
    machine.run_on(2, 0);  // no such vCPU
    EXPECT_EQ(machine.read(), std::nullopt);
}

TEST(SoftInMachine, WholeCpusAreReadAsTheyAre) {
    const Machine machine;
    machine.count(1, 42);
    std::uint64_t value = 0;
    EXPECT_TRUE(machine.page->read_vcpu(1, SOFT_USER_INSTRUCTIONS, value));
    EXPECT_EQ(value, 42u);
    EXPECT_FALSE(machine.page->read_vcpu(2, SOFT_USER_INSTRUCTIONS, value));
}

// Only a thread itself, and only on Arm, can read the CPU's own counter.
TEST(SoftInMachine, APageThatIsNotLiveSaysNothingAboutWholeCpus) {
    Machine machine(0);
    EXPECT_FALSE(machine.page->is_live());
    machine.count(0, 42);
    std::uint64_t value = 0;
    EXPECT_FALSE(machine.page->read_vcpu(0, SOFT_USER_INSTRUCTIONS, value));
    machine.run_on(0, 0);
    EXPECT_EQ(machine.read(), std::nullopt);
}

// What driver/ shows in sysfs on our hypervisor.
TEST(SoftInMachine, OnTheHypervisorItHasTheCpusEvents) {
    namespace fs = std::filesystem;
    const fs::path root = scratch::file("on_hypervisor");
    const fs::path pmu = root / "sys/bus/event_source/devices/ringside_vpmu";
    fs::create_directories(pmu / "events");
    std::ofstream(pmu / "type") << "9\n";
    std::ofstream(pmu / "events/instructions") << "event=0x08\n";
    std::ofstream(pmu / "events/cycles") << "event=0x11\n";
    const auto found = machine_pmu(base::SysRoot(root));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->type, 9u);
    EXPECT_FALSE(found->is_soft());
    const auto events = make_in_machine(base::SysRoot(root))->events();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].name, "INSTRUCTIONS");
    EXPECT_EQ(events[0].id, 0x08u);
    EXPECT_EQ(events[1].name, "CYCLES");
    EXPECT_EQ(events[1].id, 0x11u);
}

TEST(SoftInMachine, IsNotThereWithoutTheDriver) {
    EXPECT_FALSE(MachinePage::map(scratch::file("no_device")));
    EXPECT_FALSE(machine_pmu(base::SysRoot(scratch::file("no_machine"))));
    const auto component = make_in_machine(base::SysRoot(scratch::file("no_machine")));
    EXPECT_FALSE(component->availability().usable);
    EXPECT_TRUE(component->events().empty());
    EXPECT_FALSE(component->find("INSTRUCTIONS"));
}

}  // namespace
}  // namespace ringside::components::soft
