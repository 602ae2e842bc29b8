#include "components/net/links.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/error.h"
#include "base/text.h"

namespace ringside::components::net {

namespace {

Error gone(const std::string& name) {
    return base::fail(ErrorCode::not_found, "no network interface " + name);
}

struct StatsRequest {
    nlmsghdr header;
    if_stats_msg message;
};

class NetlinkReader final : public LinkReader {
  public:
    explicit NetlinkReader(base::Fd socket) : socket_(std::move(socket)) {}

    Result<void> read(Link& link, LinkStats& stats) override {
        if (link.index == 0 && !resolve(link)) return gone(link.name);
        auto reply = request(link.index);
        if (reply && reply->error == ENODEV && resolve(link)) reply = request(link.index);
        if (!reply) return reply.error();
        if (reply->error == ENODEV) return gone(link.name);
        if (reply->error != 0) {
            return base::fail_errno(reply->error, "cannot read the counters of " + link.name);
        }
        stats = reply->stats;
        return {};
    }
    int socket() const override { return socket_.get(); }

  private:
    bool resolve(Link& link) const {
        ifreq request{};
        if (link.name.size() >= sizeof request.ifr_name) return false;
        std::memcpy(request.ifr_name, link.name.data(), link.name.size());
        const bool found = ::ioctl(socket_.get(), SIOCGIFINDEX, &request) == 0;
        link.index = found ? request.ifr_ifindex : 0;
        return found;
    }

    Result<StatsReply> request(int index) {
        StatsRequest request{};
        request.header.nlmsg_len = sizeof request;
        request.header.nlmsg_type = RTM_GETSTATS;
        request.header.nlmsg_flags = NLM_F_REQUEST;
        request.header.nlmsg_seq = ++sequence_;
        request.message.ifindex = static_cast<__u32>(index);
        request.message.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
        if (::send(socket_.get(), &request, sizeof request, 0) < 0) {
            return base::fail_errno(errno, "cannot ask rtnetlink");
        }
        for (;;) {
            std::array<std::byte, 1024> bytes;
            const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return base::fail_errno(errno, "rtnetlink does not answer");
            const auto whole = std::span(bytes).first(static_cast<std::size_t>(count));
            // What is not the answer to this request is an older one that nobody waited for.
            if (const auto reply = parse_stats_reply(whole, sequence_)) return *reply;
        }
    }

    base::Fd socket_;
    std::uint32_t sequence_ = 0;
};

class SysfsReader final : public LinkReader {
  public:
    explicit SysfsReader(base::SysRoot root) : root_(std::move(root)) {}

    Result<void> read(Link& link, LinkStats& stats) override {
        const auto folder = "/sys/class/net/" + link.name + "/statistics/";
        if (!root_.exists(folder)) return gone(link.name);
        stats = {};
        for (const auto& [name, member] : link_counters()) {
            const auto text = root_.read_trimmed(folder + std::string(name));
            stats.*member = base::parse_u64(text.value_or("")).value_or(0);
        }
        return {};
    }
    int socket() const override { return -1; }

  private:
    base::SysRoot root_;
};

Result<base::Fd> open_socket_here() {
    base::Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!fd) return base::fail_errno(errno, "cannot open an rtnetlink socket");
    return fd;
}

// A namespace is the property of a thread, so a thread of its own goes there and comes back never.
Result<base::Fd> open_socket_in(const base::Fd& space) {
    Result<base::Fd> made = base::fail(ErrorCode::io, "no thread");
    std::thread([&] {
        if (::setns(space.get(), CLONE_NEWNET) != 0) {
            made = base::fail_errno(errno, "cannot enter another network namespace",
                                    "run as root, or with CAP_SYS_ADMIN");
            return;
        }
        made = open_socket_here();
    }).join();
    return made;
}

}  // namespace

LinkReaderPtr make_netlink_reader(base::Fd socket) {
    return std::make_unique<NetlinkReader>(std::move(socket));
}

LinkReaderPtr make_sysfs_reader(const base::SysRoot& root) {
    return std::make_unique<SysfsReader>(root);
}

Result<base::Fd> open_socket(const base::SysRoot& root, int id) {
    if (id == 0) return open_socket_here();
    const auto path = "/proc/" + std::to_string(id) + "/ns/net";
    const auto theirs = root.read_link(path);
    if (!theirs) return theirs.error();
    if (*theirs == root.read_link("/proc/thread-self/ns/net").value_or("")) {
        return open_socket_here();
    }
    const base::Fd space(::open(root.locate(path).c_str(), O_RDONLY | O_CLOEXEC));
    if (!space) return base::fail_errno(errno, "cannot open " + path);
    return open_socket_in(space);
}

std::optional<StatsReply> parse_stats_reply(std::span<const std::byte> bytes,
                                            std::uint32_t sequence) {
    base::ByteReader reader(bytes);
    const auto header = reader.read<nlmsghdr>();
    if (!header || header->nlmsg_seq != sequence) return std::nullopt;
    if (header->nlmsg_type == NLMSG_ERROR) {
        const auto code = reader.read<std::int32_t>();
        if (!code || *code >= 0 || *code == INT32_MIN) return std::nullopt;
        return StatsReply{-*code, {}};
    }
    if (header->nlmsg_type != RTM_NEWSTATS || !reader.read<if_stats_msg>()) return std::nullopt;
    while (const auto attribute = reader.read<rtattr>()) {
        if (attribute->rta_len < sizeof(rtattr)) return std::nullopt;
        const auto payload = reader.take(attribute->rta_len - sizeof(rtattr));
        if (!payload) return std::nullopt;
        if (attribute->rta_type == IFLA_STATS_LINK_64) {
            // Kernels differ in how many counters they have; the first ones are the same.
            StatsReply reply;
            std::memcpy(&reply.stats, payload->data(),
                        std::min(payload->size(), sizeof reply.stats));
            return reply;
        }
        reader.skip(std::min<std::size_t>(RTA_ALIGN(attribute->rta_len) - attribute->rta_len,
                                          reader.remaining()));
    }
    return std::nullopt;
}

}  // namespace ringside::components::net
