#include "guest/hypervisor.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "guest/machine.h"
#include "hyp/core/manifest.h"

namespace ringside::guest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct HypervisorPlanTest : testing::Test {
    HypervisorPlanTest() {
        fs::create_directories(build / "hyp" / "tests");
        for (const auto* name : {"hyp/hyp.elf", "hyp/tests/rowdy.bin", "kernel", "initrd"}) {
            std::ofstream(build / name) << "0123456789";
        }
    }
    ~HypervisorPlanTest() override { fs::remove_all(build); }

    Result<HypervisorPlan> plan(const HypervisorWish& wish) const {
        return plan_hypervisor(kind, build / "hyp" / "hyp.elf", wish, build / "kernel",
                               build / "initrd");
    }

    fs::path build = scratch::file("hypervisor-plan");
    Kind kind = *KindTable::built_in().find("arm64-hyp");
};

// What is written here is read by the hypervisor: its own parser accepts it.
TEST_F(HypervisorPlanTest, the_hypervisor_understands_the_manifest) {
    const auto made = plan({"legacy", true, {"0x08 pinned", "0x11"}, {"rowdy"}});
    ASSERT_TRUE(made);
    hyp::Manifest manifest;
    const auto problem = hyp::parse_manifest(made->manifest, {0x40000000, 0xa0000000},
                                             {0x40000000, 0x41000000}, manifest);
    ASSERT_FALSE(problem) << problem.line << ": " << problem.what << "\n" << made->manifest;
    ASSERT_EQ(manifest.guest_count, 2u);
    EXPECT_EQ(manifest.guests[0].name, "rowdy");
    const hyp::GuestSpec& linux_guest = manifest.guests[1];
    EXPECT_EQ(linux_guest.name, "linux");
    EXPECT_TRUE(linux_guest.devices && linux_guest.leads && linux_guest.direct);
    EXPECT_EQ(linux_guest.policy, vpmu::Policy::legacy);
    EXPECT_EQ(linux_guest.memory.end, 0xa0000000u);
    EXPECT_EQ(linux_guest.initrd.bytes(), 10u);
    EXPECT_EQ(linux_guest.boot_arguments, kernel_arguments(kind));
    ASSERT_EQ(manifest.host_event_count, 2u);
    EXPECT_TRUE(manifest.host_events[0].pinned);
    EXPECT_EQ(made->files.size(), 3u);
}

TEST_F(HypervisorPlanTest, devices_trap_if_they_shall) {
    HypervisorWish wish;
    wish.policy = "domain_switch";
    EXPECT_THAT(plan(wish)->manifest, Not(HasSubstr("forward")));
    wish.traps_devices = true;
    wish.device_work = 5000;
    hyp::Manifest manifest;
    const auto made = plan(wish);
    const auto problem = hyp::parse_manifest(made->manifest, {0x40000000, 0xa0000000},
                                             {0x40000000, 0x41000000}, manifest);
    ASSERT_FALSE(problem) << problem.what;
    ASSERT_EQ(manifest.guests[0].window_count, 1u);
    EXPECT_EQ(manifest.guests[0].windows[0].range.begin, 0x10000000u);
    EXPECT_EQ(manifest.guests[0].windows[0].range.end, 0x3eff0000u);
    EXPECT_EQ(manifest.guests[0].windows[0].work, 5000u);
}

TEST_F(HypervisorPlanTest, what_is_not_there_or_does_not_fit_is_refused) {
    EXPECT_FALSE(plan({"", false, {}, {"no-such-neighbour"}}));
    EXPECT_FALSE(plan({"", false, {}, std::vector<std::string>(25, "rowdy")}));
    kind.memory_mb = 256;
    const auto too_small = plan({});
    ASSERT_FALSE(too_small);
    EXPECT_THAT(too_small.error().what, HasSubstr("does not fit"));
}

TEST_F(HypervisorPlanTest, is_booted_in_place_of_the_kernel) {
    MachineSpec spec;
    spec.kind = kind;
    spec.kernel = "/k";
    spec.initrd = "/i";
    spec.manifest = "/m";
    spec.hypervisor = plan({}).value();
    const auto argv = qemu_arguments(spec);
    EXPECT_THAT(argv, Contains((build / "hyp" / "hyp.elf").string()));
    EXPECT_THAT(argv, Contains("loader,file=/m,addr=0x40100000,force-raw=on"));
    EXPECT_THAT(argv, Not(Contains("-append")));
    EXPECT_THAT(argv, Not(Contains("/k")));
}

TEST_F(HypervisorPlanTest, is_found_in_a_build) {
    EXPECT_EQ(find_hypervisor({"/no/such", build.string()}), build / "hyp" / "hyp.elf");
    EXPECT_FALSE(find_hypervisor({"/no/such"}));
}

}  // namespace
}  // namespace ringside::guest
