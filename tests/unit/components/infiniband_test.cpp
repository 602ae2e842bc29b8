#include "components/infiniband/infiniband.h"

#include <gmock/gmock.h>

#include "../platform/temp_tree.h"
#include "readings.h"

namespace ringside::components {
namespace {

using platform::TempTree;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A guest with a virtual function of two ports, as mlx5 shows one, and a paravirtual device.
class FakeInfiniband {
  public:
    FakeInfiniband() {
        tree_.put("/proc/cpuinfo", "flags : fpu hypervisor\n");
        const std::string device = "/sys/class/infiniband/mlx5_0/device";
        tree_.link(device + "/driver", "../../bus/pci/drivers/mlx5_core")
            .link(device + "/subsystem", "../../bus/pci")
            .put(device + "/vendor", "0x15b3\n")
            .put(device + "/device", "0x1018\n");
        tree_.link("/sys/class/infiniband/vmw_pvrdma0/device/driver",
                   "../../bus/pci/drivers/vmw_pvrdma");
        port("1/counters/port_rcv_data", 100);
        port("1/counters/symbol_error", 3);
        port("1/counters/port_xmit_packets", 0xffff'fff0u);
        port("2/counters/port_rcv_data", 7);
        port("1/hw_counters/rx_read_requests", 50);
        port("1/hw_counters/lifespan", 10);
        tree_.put("/sys/class/infiniband/mlx5_0/ports/1/counters/broken", "N/A\n");
        tree_.put("/sys/class/infiniband/mlx5_0/hw_counters/resets", "1\n");
        tree_.put("/sys/class/infiniband/vmw_pvrdma0/ports/1/counters/port_rcv_data", "1\n");
    }
    void port(const std::string& path, std::uint64_t value) {
        tree_.put("/sys/class/infiniband/mlx5_0/ports/" + path, std::to_string(value) + "\n");
    }
    void unplug() { tree_.remove("/sys/class/infiniband/mlx5_0"); }
    session::ComponentPtr component() const { return infiniband::make(tree_.root()); }

  private:
    TempTree tree_;
};

TEST(Infiniband, ListsPortsAndDevicesAndLeavesOutWhatIsNoCounter) {
    const FakeInfiniband guest;
    const auto all = names(*guest.component());
    EXPECT_THAT(all, Contains("mlx5_0_1:port_rcv_data"));
    EXPECT_THAT(all, Contains("mlx5_0_2:port_rcv_data"));
    EXPECT_THAT(all, Contains("mlx5_0_1:rx_read_requests"));
    EXPECT_THAT(all, Contains("mlx5_0:resets"));
    EXPECT_THAT(all, Not(Contains("mlx5_0_1:lifespan")));
    EXPECT_THAT(all, Not(Contains("mlx5_0_1:broken")));
}

TEST(Infiniband, DataAreGivenInBytes) {
    FakeInfiniband guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"mlx5_0_1:port_rcv_data", "mlx5_0_2:port_rcv_data",
                                               "mlx5_0_1:rx_read_requests"});
    ASSERT_TRUE(counters);
    guest.port("1/counters/port_rcv_data", 125);
    guest.port("1/hw_counters/rx_read_requests", 51);
    EXPECT_THAT(values(*counters, 3), ElementsAre(100, 0, 1));
    EXPECT_EQ(component->find("mlx5_0_1:port_rcv_data")->unit, "bytes");
}

TEST(Infiniband, ANarrowCounterMayBeginAgain) {
    FakeInfiniband guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"mlx5_0_1:port_xmit_packets"});
    ASSERT_TRUE(counters);
    guest.port("1/counters/port_xmit_packets", 5);
    EXPECT_THAT(values(*counters, 1), ElementsAre(0x15));
    guest.port("1/counters/port_xmit_packets", 2);  // reset by somebody
    EXPECT_THAT(values(*counters, 1), ElementsAre(0x15));
    guest.port("1/counters/port_xmit_packets", 0x1'0000'0000u);  // wider than it had to be
    EXPECT_THAT(values(*counters, 1), ElementsAre(0x15 + std::int64_t{0xffff'fffe}));
}

TEST(Infiniband, ACounterAtItsLimitIsNotBelieved) {
    FakeInfiniband guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"mlx5_0_1:symbol_error"});
    ASSERT_TRUE(counters);
    guest.port("1/counters/symbol_error", 10);
    EXPECT_EQ(readings(*counters, 1)[0].state, CounterState::ok);
    guest.port("1/counters/symbol_error", 65535);
    const auto stuck = readings(*counters, 1)[0];
    EXPECT_EQ(stuck.state, CounterState::implausible);
    EXPECT_EQ(stuck.value, 7);
    EXPECT_THAT(counters->explain(0), HasSubstr("limit of its 16 bits"));
}

TEST(Infiniband, NamesTheKindOfDevice) {
    const FakeInfiniband guest;
    const auto component = guest.component();
    EXPECT_EQ(component->availability().reason,
              "mlx5_0 is virtual function (mlx5_core, ConnectX-5); "
              "vmw_pvrdma0 is paravirtual (vmw_pvrdma, VMware paravirtual RDMA)");
    EXPECT_THAT(component->find("mlx5_0_1:symbol_error")->description,
                HasSubstr("virtual function"));
}

TEST(Infiniband, TakesPapisNames) {
    const FakeInfiniband guest;
    const auto component = guest.component();
    EXPECT_EQ(component->find("mlx5_0_1_ext:port_rcv_data")->name, "mlx5_0_1:port_rcv_data");
    EXPECT_EQ(component->find("mlx5_0_1_ext:rx_read_requests")->name, "mlx5_0_1:rx_read_requests");
    for (const char* name : {"", "mlx5_0_1", "mlx5_0_1:", "mlx5_0_3:port_rcv_data", "_ext:", ":"}) {
        EXPECT_FALSE(component->find(name)) << name;
    }
}

TEST(Infiniband, ADeviceThatIsGoneIsAbsentAndCountsWhenItComesBack) {
    FakeInfiniband guest;
    const auto component = guest.component();
    auto counters = open_named(*component, {"mlx5_0_2:port_rcv_data"});
    ASSERT_TRUE(counters);
    guest.unplug();
    ASSERT_TRUE((*counters)->start());
    EXPECT_EQ(readings(**counters, 1)[0].state, CounterState::absent);
    EXPECT_FALSE(component->find("mlx5_0_2:port_rcv_data"));
    guest.port("2/counters/port_rcv_data", 20);
    EXPECT_EQ(readings(**counters, 1)[0].state, CounterState::ok);
    guest.port("2/counters/port_rcv_data", 21);
    EXPECT_THAT(values(**counters, 1), ElementsAre(4));
}

TEST(Infiniband, AMachineWithoutSaysSo) {
    const TempTree tree;
    const auto component = infiniband::make(tree.root());
    EXPECT_FALSE(component->availability().usable);
    EXPECT_TRUE(component->events().empty());
    EXPECT_FALSE(component->find("mlx5_0_1:port_rcv_data"));
}

TEST(Infiniband, WrapsAreToldFromResets) {
    using infiniband::gained_with_wrap;
    EXPECT_EQ(gained_with_wrap(32, 10, 30), 20);
    EXPECT_EQ(gained_with_wrap(32, 0xffff'ffff, 0), 1);
    EXPECT_EQ(gained_with_wrap(32, 0x7fff'ffff, 0), 0);
    EXPECT_EQ(gained_with_wrap(32, 0xffff'ffff, 0x7fff'ffff), 0);
    EXPECT_EQ(gained_with_wrap(32, 0x1'0000'0000, 0), 0);  // was wider than 32 bits
    EXPECT_EQ(gained_with_wrap(64, INT64_MAX, 0), 0);
    EXPECT_EQ(gained_with_wrap(4, 14, 1), 3);
}

}  // namespace
}  // namespace ringside::components
