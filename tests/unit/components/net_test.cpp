#include "components/net/net.h"

#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../platform/temp_tree.h"
#include "base/fd.h"
#include "components/net/links.h"
#include "components/net/net_counters.h"
#include "readings.h"

namespace ringside::components {
namespace {

using platform::TempTree;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A guest with two interfaces whose names begin alike, and one with an odd name.
class NetGuest {
  public:
    NetGuest() {
        tree_.put("/proc/cpuinfo", "flags : fpu hypervisor\n")
            .put("/proc/thread-self/net/dev",
                 "Inter-|   Receive          |  Transmit\n"
                 " face |bytes    packets    |bytes\n"
                 "    lo: 1 1 1\n  eth1:3163557526 2 2\n eth10: 3 3 3\nwg-\xc3\xbc.1@x: 0 0\n");
        const std::string device = "/sys/class/net/eth1/device";
        tree_.link(device + "/driver", "../../bus/virtio/drivers/virtio_net")
            .link(device + "/subsystem", "../../bus/virtio");
        for (const char* name : {"lo", "eth1", "eth10", "wg-\xc3\xbc.1@x"})
            set(name, "rx_bytes", 0);
    }
    void set(const std::string& interface, const std::string& counter, std::uint64_t value) {
        tree_.put("/sys/class/net/" + interface + "/statistics/" + counter,
                  std::to_string(value) + "\n");
    }
    void unplug(const std::string& interface) { tree_.remove("/sys/class/net/" + interface); }
    session::ComponentPtr component() const { return net::make(tree_.root()); }

  private:
    TempTree tree_;
};

TEST(NetComponent, NamesAreWhole) {
    const NetGuest guest;
    const auto all = names(*guest.component());
    EXPECT_THAT(all, Contains("eth1:rx:bytes"));
    EXPECT_THAT(all, Contains("eth10:rx:bytes"));
    EXPECT_THAT(all, Contains("lo:tx:compressed"));
    EXPECT_THAT(all, Contains("wg-\xc3\xbc.1@x:tx:colls"));
    EXPECT_EQ(all.size(), 4 * net::statistics().size());
    for (const auto& name : all) EXPECT_TRUE(guest.component()->find(name)) << name;
}

TEST(NetComponent, OneInterfaceIsNotTakenForAnotherThatBeginsAlike) {
    NetGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"eth1:rx:bytes", "eth10:rx:bytes"});
    ASSERT_TRUE(counters);
    guest.set("eth1", "rx_bytes", 7);
    guest.set("eth10", "rx_bytes", 40);
    EXPECT_THAT(values(*counters, 2), ElementsAre(7, 40));
    EXPECT_FALSE(component->find("eth:rx:bytes"));
    EXPECT_FALSE(component->find("eth100:rx:bytes"));
}

TEST(NetComponent, SumsWhatProcNetDevSums) {
    NetGuest guest;
    const auto component = guest.component();
    const auto counters = started(
        *component, {"eth1:rx:dropped", "eth1:rx:frame", "eth1:tx:carrier", "eth1:rx:missed"});
    ASSERT_TRUE(counters);
    for (const char* counter :
         {"rx_dropped", "rx_missed_errors", "rx_length_errors", "rx_over_errors", "rx_crc_errors",
          "rx_frame_errors", "tx_carrier_errors", "tx_aborted_errors", "tx_window_errors",
          "tx_heartbeat_errors"}) {
        guest.set("eth1", counter, 1);
    }
    EXPECT_THAT(values(*counters, 4), ElementsAre(2, 4, 4, 1));
}

TEST(NetComponent, CountsBeyond32Bits) {
    NetGuest guest;
    guest.set("eth1", "rx_bytes", 0xffff'fff0u);
    const auto component = guest.component();
    const auto counters = started(*component, {"eth1:rx:bytes"});
    ASSERT_TRUE(counters);
    guest.set("eth1", "rx_bytes", 0x1'0000'0010u);
    EXPECT_THAT(values(*counters, 1), ElementsAre(0x20));
}

TEST(NetComponent, AnInterfaceThatGoesIsAbsentAndMayComeBack) {
    NetGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"eth1:rx:bytes", "lo:rx:bytes"});
    ASSERT_TRUE(counters);
    guest.set("eth1", "rx_bytes", 9);
    EXPECT_THAT(values(*counters, 2), ElementsAre(9, 0));
    guest.unplug("eth1");
    const auto gone = readings(*counters, 2);
    EXPECT_EQ(gone[0].state, CounterState::absent);
    EXPECT_EQ(gone[0].value, 9);
    EXPECT_EQ(gone[1].state, CounterState::ok);
    guest.set("eth1", "rx_bytes", 2);
    EXPECT_THAT(values(*counters, 2), ElementsAre(9, 0));
    guest.set("eth1", "rx_bytes", 5);
    EXPECT_THAT(values(*counters, 2), ElementsAre(12, 0));
}

TEST(NetComponent, NamesTheKindOfEachInterface) {
    const NetGuest guest;
    const auto component = guest.component();
    const auto can = component->availability();
    EXPECT_TRUE(can.usable);
    EXPECT_EQ(can.reason, "eth1 is paravirtual (virtio_net, virtio)");
    EXPECT_THAT(component->find("eth1:rx:bytes")->description, HasSubstr("paravirtual"));
    EXPECT_THAT(component->find("lo:rx:bytes")->description, HasSubstr("software"));
    const auto counters = started(*component, {"eth1:rx:bytes"});
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->explain(0), "eth1 is paravirtual (virtio_net, virtio)");
}

TEST(NetComponent, RefusesWhatIsNoEvent) {
    const NetGuest guest;
    const auto component = guest.component();
    for (const char* name : {"", ":", "eth1", "eth1:", ":rx:bytes", "eth1:rx", "eth1:rx:bytes2",
                             "eth1:driver:", "ETH1:rx:bytes"}) {
        EXPECT_FALSE(component->find(name)) << name;
    }
    EXPECT_FALSE(open_named(*component, {"eth1:driver:anything"}));  // a tree has no drivers
    SetOptions cpu;
    cpu.target = Target::on_cpus({0});
    EXPECT_FALSE(open_named(*component, {"eth1:rx:bytes"}, cpu));
    SetOptions cgroup;
    cgroup.target = Target::in_cgroup("/");
    EXPECT_FALSE(open_named(*component, {"eth1:rx:bytes"}, cgroup));
}

TEST(NetComponent, AMachineWithoutNetworkSaysSo) {
    const TempTree tree;
    const auto can = net::make(tree.root())->availability();
    EXPECT_FALSE(can.usable);
    EXPECT_THAT(net::make(tree.root())->events(), IsEmpty());
}

// What rtnetlink answers.
struct Reply {
    nlmsghdr header{};
    if_stats_msg message{};
    rtattr attribute{};
    std::array<std::uint64_t, 30> values{};
};

Reply good_reply() {
    Reply reply;
    reply.header.nlmsg_type = RTM_NEWSTATS;
    reply.header.nlmsg_seq = 5;
    reply.attribute.rta_type = IFLA_STATS_LINK_64;
    reply.attribute.rta_len = sizeof(rtattr) + sizeof reply.values;
    for (std::size_t i = 0; i < reply.values.size(); ++i) reply.values[i] = i + 1;
    return reply;
}

std::span<const std::byte> bytes_of(const Reply& reply) {
    return std::as_bytes(std::span(&reply, 1));
}

TEST(NetlinkReply, GivesTheCountersOfLargerAndSmallerKernels) {
    Reply reply = good_reply();
    auto parsed = net::parse_stats_reply(bytes_of(reply), 5);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->error, 0);
    EXPECT_EQ(parsed->stats.rx_packets, 1u);
    EXPECT_EQ(parsed->stats.tx_bytes, 4u);
    reply.attribute.rta_len = sizeof(rtattr) + 3 * sizeof(std::uint64_t);
    parsed = net::parse_stats_reply(bytes_of(reply), 5);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->stats.rx_bytes, 3u);
    EXPECT_EQ(parsed->stats.tx_bytes, 0u);
}

TEST(NetlinkReply, GivesTheKernelsErrno) {
    struct {
        nlmsghdr header{};
        std::int32_t error = -ENODEV;
    } refusal;
    refusal.header.nlmsg_type = NLMSG_ERROR;
    refusal.header.nlmsg_seq = 5;
    const auto parsed = net::parse_stats_reply(std::as_bytes(std::span(&refusal, 1)), 5);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->error, ENODEV);
    for (const std::int32_t nonsense : {0, 40, INT32_MIN}) {
        refusal.error = nonsense;
        EXPECT_FALSE(net::parse_stats_reply(std::as_bytes(std::span(&refusal, 1)), 5));
    }
}

TEST(NetlinkReply, TakesNothingElseForAnAnswer) {
    Reply reply = good_reply();
    EXPECT_FALSE(net::parse_stats_reply(bytes_of(reply), 6));
    EXPECT_FALSE(net::parse_stats_reply({}, 5));
    for (std::size_t length = 0; length < sizeof reply; length += 3) {
        EXPECT_FALSE(net::parse_stats_reply(bytes_of(reply).first(length), 5)) << length;
    }
    reply.attribute.rta_len = 3;
    EXPECT_FALSE(net::parse_stats_reply(bytes_of(reply), 5));
    reply = good_reply();
    reply.header.nlmsg_type = RTM_NEWLINK;
    EXPECT_FALSE(net::parse_stats_reply(bytes_of(reply), 5));
}

// On the machine itself: bytes that this test sends to itself.
void send_to_self(std::size_t bytes) {
    const base::Fd receiver(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const base::Fd sender(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    ASSERT_EQ(::bind(receiver.get(), reinterpret_cast<sockaddr*>(&here), length), 0);
    ASSERT_EQ(::getsockname(receiver.get(), reinterpret_cast<sockaddr*>(&here), &length), 0);
    const std::vector<char> payload(bytes);
    ASSERT_EQ(::sendto(sender.get(), payload.data(), bytes, 0, reinterpret_cast<sockaddr*>(&here),
                       length),
              static_cast<ssize_t>(bytes));
}

void raise_loopback() {
    const base::Fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    ASSERT_EQ(::ioctl(any.get(), SIOCSIFFLAGS, &request), 0) << std::strerror(errno);
}

bool make_tunnel(const char* name, base::Fd& keeper) {
    keeper = base::Fd(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
    ifreq request{};
    std::strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    return keeper && ::ioctl(keeper.get(), TUNSETIFF, &request) == 0;
}

TEST(LiveNet, LoopbackTrafficIsSeenAtOnce) {
    const auto component = net::make({});
    if (!component->find("lo:rx:bytes")) GTEST_SKIP() << "no loopback interface";
    const auto counters = started(*component, {"lo:rx:bytes", "lo:tx:bytes", "lo:tx:packets"});
    ASSERT_TRUE(counters);
    send_to_self(1000);
    auto now = values(*counters, 3);
    // 20 bytes of IP and 8 of UDP before each payload, and 14 for the Ethernet header lo pretends
    EXPECT_GE(now[0], 1028);
    EXPECT_GE(now[1], 1028);
    EXPECT_GE(now[2], 1);
    send_to_self(50'000);  // no cache keeps this back
    EXPECT_GE(values(*counters, 3)[0], now[0] + 50'000);
}

TEST(LiveNet, EveryListedEventOpens) {
    const auto component = net::make({});
    const auto all = component->events();
    if (all.empty()) GTEST_SKIP() << "no network interfaces";
    for (const auto& event : all) EXPECT_TRUE(component->find(event.name)) << event.name;
    const auto counters = component->open(all, {});
    ASSERT_TRUE(counters) << counters.error().what;
    ASSERT_TRUE((*counters)->start());
    for (const auto& reading : readings(**counters, all.size())) {
        EXPECT_EQ(reading.state, CounterState::ok);
    }
}

// A child in a network namespace of its own, with a loopback and a tunnel that only it has. It does
// one thing for each byte it is sent, and answers with one.
class ChildInNamespace {
  public:
    bool begin() {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
        control_ = base::Fd(pair[0]);
        base::Fd theirs(pair[1]);
        pid_ = ::fork();
        if (pid_ == 0) {
            control_.reset();  // or it would never see our end close
            serve(theirs.get());
        }
        theirs.reset();  // or we would never see its end close
        return receive();
    }
    ~ChildInNamespace() {
        control_.reset();
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    }
    bool send_traffic() { return ::write(control_.get(), "t", 1) == 1 && receive(); }
    int pid() const { return pid_; }

  private:
    [[noreturn]] static void serve(int control) {
        if (::unshare(CLONE_NEWNET) != 0) ::_exit(1);
        raise_loopback();
        base::Fd tunnel;
        if (!make_tunnel("rs-only-there", tunnel)) ::_exit(1);
        char byte = 'r';
        do {
            if (byte == 't') send_to_self(2000);
        } while (::write(control, "k", 1) == 1 && ::read(control, &byte, 1) == 1);
        ::_exit(0);
    }
    bool receive() {
        char byte = 0;
        return ::read(control_.get(), &byte, 1) == 1;
    }
    base::Fd control_;
    pid_t pid_ = -1;
};

TEST(LiveNet, AProcessIsMeasuredInItsOwnNamespace) {
    ChildInNamespace child;
    if (!child.begin()) GTEST_SKIP() << "cannot make a network namespace with a tunnel";
    const auto component = net::make({});
    SetOptions options;
    options.target = Target::process(child.pid());
    const auto counters = started(*component, {"lo:rx:bytes", "rs-only-there:rx:bytes"}, options);
    ASSERT_TRUE(counters);
    ASSERT_TRUE(child.send_traffic());
    EXPECT_GE(values(*counters, 2)[0], 2028);
    EXPECT_LT(values(*counters, 2)[0], 2200) << "somebody else's traffic";
    // the same name is not in ours
    EXPECT_FALSE(open_named(*component, {"rs-only-there:rx:bytes"}));
}

TEST(LiveNet, AnInterfaceMadeAnewGoesOnCounting) {
    base::Fd keeper;
    if (!make_tunnel("rs-tun.a@b", keeper)) GTEST_SKIP() << "cannot make a tunnel";
    const auto component = net::make({});
    const auto counters = started(*component, {"rs-tun.a@b:tx:packets"});
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->explain(0), "rs-tun.a@b is software");
    keeper.reset();
    EXPECT_EQ(readings(*counters, 1)[0].state, CounterState::absent);
    ASSERT_TRUE(make_tunnel("rs-tun.a@b", keeper));
    EXPECT_EQ(readings(*counters, 1)[0].state, CounterState::ok);
}

TEST(LiveNet, NobodysProcessIsAnError) {
    const auto component = net::make({});
    SetOptions options;
    options.target = Target::process(0x3fffffff);
    EXPECT_FALSE(open_named(*component, {"lo:rx:bytes"}, options));
}

}  // namespace
}  // namespace ringside::components
