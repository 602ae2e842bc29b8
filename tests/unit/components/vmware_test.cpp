#include "components/vmware/vmware.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "components/vmware/guest_library.h"
#include "components/vmware/pseudo_counters.h"
#include "fake_guest_library.h"
#include "readings.h"

namespace ringside::components {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* variable = "PAPI_VMWARE_PSEUDOPERFORMANCE";

std::uint64_t pseudo_time = 0;
std::uint64_t fake_pseudo(std::uint32_t index) {
    return pseudo_time + index;
}
Result<void> allow() {
    return {};
}
Result<void> forbid() {
    return base::fail(ErrorCode::unsupported, "rdpmc faults");
}

// A machine that says it is VMware's, and the fake library.
class Vmware : public testing::Test {
  protected:
    Vmware() : object_(::dlopen(RINGSIDE_FAKE_GUEST_LIBRARY, RTLD_NOW)) {
        fake_ = static_cast<FakeGuestLibrary*>(::dlsym(object_, "fake_guest"));
        *fake_ = {0, 0, 77, 1000, 64, 0};
        access_.library = RINGSIDE_FAKE_GUEST_LIBRARY;
        access_.probe_pseudo = allow;
        access_.read_pseudo = fake_pseudo;
        ::unsetenv(variable);
    }
    ~Vmware() override {
        ::unsetenv(variable);
        EXPECT_EQ(fake_->handles, 0) << "a handle was left open";
        ::dlclose(object_);
    }
    session::ComponentPtr component() const {
        return vmware::make_with(base::SysRoot(RINGSIDE_FIXTURES "/machines/esxi"), access_);
    }

    void* object_;
    FakeGuestLibrary* fake_;
    vmware::Access access_;
};

TEST_F(Vmware, ListsWhatThisLibraryAndHostHave) {
    EXPECT_THAT(names(*component()), ElementsAre("CPU_LIMIT", "CPU_STOLEN", "MEM_BALLOONED"));
    const auto can = component()->availability();
    EXPECT_TRUE(can.usable);
    EXPECT_THAT(can.reason, HasSubstr("resource pool /pool"));
    EXPECT_FALSE(component()->find("MEM_SHARES"));     // not available on this host
    EXPECT_FALSE(component()->find("HOST_CPU_USED"));  // not in this library
}

TEST_F(Vmware, TotalsCountFromTheStartAndLevelsAreGivenAsTheyStand) {
    const auto vm = component();
    const auto counters = started(*vm, {"CPU_STOLEN", "MEM_BALLOONED", "CPU_LIMIT"});
    ASSERT_TRUE(counters);
    EXPECT_THAT(values(*counters, 3), ElementsAre(0, 64, 0xffff'ffff));
    fake_->cpu_stolen_ms = 1030;
    fake_->mem_ballooned_mb = 8;
    EXPECT_THAT(values(*counters, 3), ElementsAre(30, 8, 0xffff'ffff));
}

TEST_F(Vmware, AfterAMoveToAnotherHostTotalsGoOn) {
    const auto vm = component();
    const auto counters = started(*vm, {"CPU_STOLEN"});
    ASSERT_TRUE(counters);
    fake_->cpu_stolen_ms = 1005;
    EXPECT_THAT(values(*counters, 1), ElementsAre(5));
    fake_->session = 78;
    fake_->cpu_stolen_ms = 90'000;  // the new host counts on its own
    EXPECT_THAT(values(*counters, 1), ElementsAre(5));
    fake_->cpu_stolen_ms = 90'002;
    EXPECT_THAT(values(*counters, 1), ElementsAre(7));
}

TEST_F(Vmware, TakesPapisNames) {
    EXPECT_EQ(component()->find("VMWARE_CPU_STOLEN")->name, "CPU_STOLEN");
    EXPECT_FALSE(component()->find("VMWARE_"));
}

TEST_F(Vmware, PseudoCountersNeedTheVariable) {
    const auto without = component()->find("HOST_TSC");
    ASSERT_FALSE(without);
    EXPECT_THAT(without.error().what, HasSubstr(variable));
    ::setenv(variable, "1", 1);
    EXPECT_THAT(names(*component()), Contains("ELAPSED_APPARENT"));
    const auto vm = component();
    pseudo_time = 500;
    const auto counters = started(*vm, {"VMWARE_HOST_TSC", "ELAPSED_TIME", "CPU_STOLEN"});
    ASSERT_TRUE(counters);
    pseudo_time = 570;
    EXPECT_THAT(values(*counters, 3), ElementsAre(70, 70, 0));
}

TEST_F(Vmware, PseudoCountersThatFaultAreRefusedWithTheReason) {
    ::setenv(variable, "1", 1);
    access_.probe_pseudo = forbid;
    const auto found = component()->find("HOST_TSC");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what, "rdpmc faults");
    EXPECT_TRUE(component()->availability().usable);  // the library still answers
}

TEST_F(Vmware, PseudoCountersWorkWithoutTheLibrary) {
    ::setenv(variable, "1", 1);
    access_.library = "no-such-library.so";
    const auto vm = component();
    EXPECT_TRUE(vm->availability().usable);
    EXPECT_THAT(names(*vm), ElementsAre("HOST_TSC", "ELAPSED_TIME", "ELAPSED_APPARENT"));
    EXPECT_TRUE(started(*vm, {"ELAPSED_TIME"}));
}

TEST_F(Vmware, ARefusingLibraryGivesItsReason) {
    fake_->open_error = 3;
    EXPECT_FALSE(component()->availability().usable);
    EXPECT_THAT(component()->availability().reason, HasSubstr("not enabled on the host"));
    EXPECT_THAT(component()->events(), IsEmpty());
    fake_->open_error = 0;
    const auto vm = component();
    const auto counters = started(*vm, {"CPU_STOLEN"});
    ASSERT_TRUE(counters);
    fake_->update_error = 2;
    std::vector<Reading> values(1);
    const auto refused = counters->read(values);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("not running in a VM"));
}

TEST_F(Vmware, AMissingOrWrongLibraryIsNamed) {
    access_.library = "no-such-library.so";
    EXPECT_THAT(component()->availability().reason, HasSubstr("no-such-library.so"));
    access_.library = "libc.so.6";
    EXPECT_THAT(component()->availability().reason, HasSubstr("not VMware's guest library"));
}

TEST(VmwareTable, HasEveryValueOfPapiAndMore) {
    EXPECT_EQ(vmware::guest_values().size(), 30u);
    for (const auto& value : vmware::guest_values()) {
        EXPECT_TRUE(value.function.starts_with("VMGuestLib_Get")) << value.name;
        EXPECT_FALSE(value.unit.empty()) << value.name;
    }
}

TEST(VmwareElsewhere, SaysWhoseGuestItIs) {
    const auto component = vmware::make(base::SysRoot(RINGSIDE_FIXTURES "/machines/firecracker"));
    const auto can = component->availability();
    EXPECT_FALSE(can.usable);
    EXPECT_EQ(can.reason, "this machine is not a guest of VMware (hypervisor: kvm)");
    EXPECT_THAT(component->events(), IsEmpty());
    EXPECT_EQ(component->find("CPU_STOLEN").error().what, can.reason);
}

// The instruction faults on every machine whose hypervisor is not VMware; the probe survives that.
TEST(LiveVmware, AFaultingInstructionIsSurvived) {
    if (vmware::make({})->availability().usable) GTEST_SKIP() << "this is VMware";
    const auto probed = vmware::probe_pseudo_counters();
    ASSERT_FALSE(probed);
    EXPECT_FALSE(probed.error().what.empty());
}

}  // namespace
}  // namespace ringside::components
