// The experiment papi-v-net, in small: the guest's net component names the interface it received
// over, and the host's kvm component counts what the interface cost.
#include <map>

#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::HasSubstr;

const std::string programs = RINGSIDE_BINARY_DIR "/experiments/papi-v-net/";
constexpr const char* receive_256k =
    "ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up && receive eth0 1 262144";

// The one row that `receive` printed: interface, bytes, ns, rx_bytes, rx_packets, tx_packets.
void expect_received(const BoxResult& box, const std::string& kind) {
    ASSERT_EQ(box.exit_code, 0) << box.err;
    const auto rows = base::parse_csv(box.out);
    ASSERT_EQ(rows.size(), 2u) << box.out;
    ASSERT_EQ(rows[1].size(), 6u) << box.out;
    EXPECT_THAT(rows[1][0], HasSubstr(kind));
    EXPECT_GE(base::parse_u64(rows[1][3]).value_or(0), 262'144u * 9 / 10);
    EXPECT_GE(base::parse_u64(rows[1][4]).value_or(0), 262'144u / 1500 * 9 / 10);
    EXPECT_GT(base::parse_u64(rows[1][5]).value_or(0), 0u);
}

TEST(Net, AParavirtualInterfaceIsNamed) {
    REQUIRE_BOX("x86");
    expect_received(
        run_box({"run", "x86-guest", "--nic", "virtio-net-pci", "--put",
                 programs + "receive:/usr/bin/receive", "--", "sh", "-c", receive_256k}),
        "paravirtual (virtio_net");
}

TEST(Net, AnEmulatedInterfaceCostsItsHostExits) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    expect_received(
        run_box({"run", "x86-kvm", "--inner", "--inner-smp=1", "--nic", "e1000", "--put",
                 programs + "receive:/usr/bin/receive", "--beside", programs + "exits",
                 "--host-get", "/tmp/exits.csv:" + scratch.file("exits.csv"), "--", "sh", "-c",
                 receive_256k}),
        "emulated (e1000");
    std::map<std::string, std::uint64_t> exits;
    for (const auto& row : base::parse_csv(scratch.read("exits.csv"))) {
        if (row.size() == 2) exits[row[0]] = base::parse_u64(row[1]).value_or(0);
    }
    EXPECT_GT(exits["host:exits"], 0u);
    EXPECT_GT(exits["host:mmio_exits"], 0u);
    EXPECT_GE(exits["host:exits"], exits["host:mmio_exits"]);
    // The tracepoint leaves out exits that KVM handles on its fast path.
    const auto traced = static_cast<double>(exits["host:tracepoint:kvm_exit"]);
    EXPECT_NEAR(traced / static_cast<double>(exits["host:exits"]), 1.0, 0.5);
}

}  // namespace
}  // namespace ringside::system_test
