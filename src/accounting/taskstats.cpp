#include "accounting/taskstats.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/byte_reader.h"
#include "base/error.h"

namespace ringside::accounting {

namespace {

using Bytes = std::span<const std::byte>;

constexpr int largest_buffer_bytes = 32 << 20;  // about 10,000 last words

struct Attribute {
    std::uint16_t type = 0;
    Bytes value;
};

std::size_t padding(std::size_t bytes) {
    return (NLA_ALIGNTO - bytes % NLA_ALIGNTO) % NLA_ALIGNTO;
}

// The next of a row of attributes; nullopt at the end, or where the row makes no sense.
std::optional<Attribute> next_attribute(base::ByteReader& reader) {
    const auto header = reader.read<nlattr>();
    if (!header || header->nla_len < sizeof(nlattr)) return std::nullopt;
    const auto value = reader.take(header->nla_len - sizeof(nlattr));
    if (!value) return std::nullopt;
    reader.skip(padding(header->nla_len));
    return Attribute{static_cast<std::uint16_t>(header->nla_type & NLA_TYPE_MASK), *value};
}

// The next netlink message of `family`, without its headers.
std::optional<Bytes> next_message(base::ByteReader& reader, std::uint16_t family) {
    while (const auto header = reader.read<nlmsghdr>()) {
        if (header->nlmsg_len < sizeof(nlmsghdr)) return std::nullopt;
        const auto body = reader.take(header->nlmsg_len - sizeof(nlmsghdr));
        if (!body) return std::nullopt;
        reader.skip(padding(header->nlmsg_len));
        if (header->nlmsg_type != family || body->size() < GENL_HDRLEN) continue;
        return body->subspan(GENL_HDRLEN);
    }
    return std::nullopt;
}

// A struct that grows at its end from kernel to kernel: what is not there yet stays nullopt.
template <typename T>
std::optional<T> field(Bytes stats, std::size_t offset) {
    base::ByteReader reader(stats);
    if (!reader.skip(offset)) return std::nullopt;
    return reader.read<T>();
}

std::optional<TaskDelays> parse_stats(Bytes stats, pid_t tid) {
    const auto u64 = [&](std::size_t offset) { return field<std::uint64_t>(stats, offset); };
    const auto version = field<std::uint16_t>(stats, offsetof(taskstats, version));
    // Version 15 put new fields into the middle; 16 moved them to the end again.
    if (!version || *version == 15) return std::nullopt;
    const auto major_faults = u64(offsetof(taskstats, ac_majflt));
    if (!major_faults) return std::nullopt;
    TaskDelays delays;
    delays.tid = tid;
    delays.cpu_delay_ns = u64(offsetof(taskstats, cpu_delay_total)).value_or(0);
    delays.block_io_ns = u64(offsetof(taskstats, blkio_delay_total)).value_or(0);
    delays.swapin_ns = u64(offsetof(taskstats, swapin_delay_total)).value_or(0);
    delays.user_us = u64(offsetof(taskstats, ac_utime)).value_or(0);
    delays.system_us = u64(offsetof(taskstats, ac_stime)).value_or(0);
    delays.minor_faults = u64(offsetof(taskstats, ac_minflt)).value_or(0);
    delays.major_faults = *major_faults;
    delays.reclaim_ns = u64(offsetof(taskstats, freepages_delay_total));
    delays.thrashing_ns = u64(offsetof(taskstats, thrashing_delay_total));
    delays.compaction_ns = u64(offsetof(taskstats, compact_delay_total));
    delays.write_protect_copy_ns = u64(offsetof(taskstats, wpcopy_delay_total));
    return delays;
}

// Inside of TASKSTATS_TYPE_AGGR_PID: whose they are, and the numbers.
std::optional<TaskDelays> parse_thread(Bytes nested) {
    base::ByteReader reader(nested);
    std::optional<std::uint32_t> tid;
    while (const auto attribute = next_attribute(reader)) {
        if (attribute->type == TASKSTATS_TYPE_PID) tid = field<std::uint32_t>(attribute->value, 0);
        if (attribute->type == TASKSTATS_TYPE_STATS && tid) {
            return parse_stats(attribute->value, static_cast<pid_t>(*tid));
        }
    }
    return std::nullopt;
}

// A question with one attribute: three headers and its value.
std::vector<std::byte> make_request(std::uint16_t family, std::uint8_t command, std::uint16_t type,
                                    Bytes value) {
    constexpr std::size_t before_value = NLMSG_HDRLEN + GENL_HDRLEN + sizeof(nlattr);
    std::vector<std::byte> bytes(before_value + value.size() + padding(value.size()));
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(bytes.size());
    header.nlmsg_type = family;
    header.nlmsg_flags = NLM_F_REQUEST;
    const genlmsghdr generic{command, 1, 0};
    const nlattr attribute{static_cast<std::uint16_t>(sizeof(nlattr) + value.size()), type};
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + NLMSG_HDRLEN, &generic, sizeof generic);
    std::memcpy(bytes.data() + NLMSG_HDRLEN + GENL_HDRLEN, &attribute, sizeof attribute);
    std::memcpy(bytes.data() + before_value, value.data(), value.size());
    return bytes;
}

Result<base::Fd> open_socket() {
    base::Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC));
    if (!fd) return base::fail_errno(errno, "cannot open a netlink socket");
    return fd;
}

Result<void> send(const base::Fd& fd, const std::vector<std::byte>& request) {
    if (::send(fd.get(), request.data(), request.size(), 0) < 0) {
        return base::fail_errno(errno, "cannot ask for taskstats");
    }
    return {};
}

// Our question's answer is there when send() returns: the kernel gives it inside of the call.
Result<std::vector<std::byte>> receive(const base::Fd& fd) {
    std::vector<std::byte> datagram(8192);
    const ssize_t got = ::recv(fd.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
    if (got < 0) return base::fail_errno(errno, "cannot receive taskstats");
    datagram.resize(static_cast<std::size_t>(got));
    return datagram;
}

Result<std::vector<std::byte>> ask(const base::Fd& fd, const std::vector<std::byte>& request) {
    if (auto sent = send(fd, request); !sent) return sent.error();
    return receive(fd);
}

// The errno in an NLMSG_ERROR, 0 if the datagram is an answer.
int refusal(Bytes datagram) {
    base::ByteReader reader(datagram);
    const auto header = reader.read<nlmsghdr>();
    if (!header || header->nlmsg_type != NLMSG_ERROR) return 0;
    const auto code = reader.read<std::int32_t>();
    return code && *code < 0 && *code > -4096 ? -*code : 0;
}

Bytes text_bytes(const std::string& text) {
    return std::as_bytes(std::span(text.c_str(), text.size() + 1));
}

}  // namespace

std::vector<TaskDelays> parse_taskstats(Bytes datagram, std::uint16_t family) {
    std::vector<TaskDelays> all;
    base::ByteReader messages(datagram);
    while (const auto message = next_message(messages, family)) {
        base::ByteReader attributes(*message);
        while (const auto attribute = next_attribute(attributes)) {
            // The sums of a whole process come as well, with its last thread; they say nothing new.
            if (attribute->type != TASKSTATS_TYPE_AGGR_PID) continue;
            if (const auto delays = parse_thread(attribute->value)) all.push_back(*delays);
        }
    }
    return all;
}

std::optional<std::uint16_t> parse_family(Bytes datagram) {
    base::ByteReader messages(datagram);
    while (const auto message = next_message(messages, GENL_ID_CTRL)) {
        base::ByteReader attributes(*message);
        while (const auto attribute = next_attribute(attributes)) {
            if (attribute->type != CTRL_ATTR_FAMILY_ID) continue;
            return field<std::uint16_t>(attribute->value, 0);
        }
    }
    return std::nullopt;
}

Result<Taskstats> Taskstats::open() {
    auto fd = open_socket();
    if (!fd) return fd.error();
    const auto answer =
        ask(*fd, make_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
                              text_bytes(TASKSTATS_GENL_NAME)));
    const auto family = answer ? parse_family(*answer) : std::nullopt;
    if (!family) return base::fail(ErrorCode::unsupported, "this kernel has no taskstats");
    Taskstats stats(std::move(*fd), *family);
    const pid_t own = ::gettid();
    const auto own_answer =
        ask(stats.asking_, make_request(*family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID,
                                        std::as_bytes(std::span(&own, 1))));
    if (!own_answer) return own_answer.error();
    if (const int error = refusal(*own_answer); error != 0) {
        return base::fail_errno(error, "cannot read taskstats", "this needs CAP_NET_ADMIN");
    }
    if (parse_taskstats(*own_answer, *family).empty()) {
        return base::fail(ErrorCode::unsupported, "this kernel's taskstats cannot be read");
    }
    return stats;
}

std::optional<TaskDelays> Taskstats::read(pid_t tid) {
    const auto answer =
        ask(asking_, make_request(family_, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID,
                                  std::as_bytes(std::span(&tid, 1))));
    if (!answer) return std::nullopt;
    const auto threads = parse_taskstats(*answer, family_);
    if (threads.empty()) return std::nullopt;
    return threads.front();
}

Result<void> Taskstats::listen() {
    auto fd = open_socket();
    if (!fd) return fd.error();
    // With CAP_NET_ADMIN beyond net.core.rmem_max.
    ::setsockopt(fd->get(), SOL_SOCKET, SO_RCVBUFFORCE, &largest_buffer_bytes,
                 sizeof largest_buffer_bytes);
    const std::string all_cpus = "0-" + std::to_string(::sysconf(_SC_NPROCESSORS_CONF) - 1);
    auto sent = send(*fd, make_request(family_, TASKSTATS_CMD_GET,
                                       TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, text_bytes(all_cpus)));
    if (!sent) return sent;
    if (const auto answer = receive(*fd); answer && refusal(*answer) != 0) {
        return base::fail_errno(refusal(*answer), "cannot listen to taskstats",
                                "this needs CAP_NET_ADMIN");
    }
    listening_ = std::move(*fd);
    return {};
}

std::vector<TaskDelays> Taskstats::take_ended() {
    std::vector<TaskDelays> ended;
    while (listening_) {
        const auto datagram = receive(listening_);
        if (!datagram && datagram.error().sys_errno == ENOBUFS) {
            lost_ = true;
            continue;
        }
        if (!datagram) break;
        for (const auto& thread : parse_taskstats(*datagram, family_)) ended.push_back(thread);
    }
    return ended;
}

}  // namespace ringside::accounting
