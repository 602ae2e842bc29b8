// Where an interface's counters are read: by rtnetlink on a socket that stays open, in whatever
// network namespace the socket was made; or, in a tree that is not this machine, from the files.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "components/net/statistics.h"

namespace ringside::components::net {

struct Link {
    std::string name;
    int index = 0;  // the kernel's, once it is known; a device that comes back has another
};

// Used by one thread at a time.
class LinkReader {
  public:
    virtual ~LinkReader() = default;
    // Nothing is cached. Fails with not_found when the interface is gone. Does not allocate else.
    virtual Result<void> read(Link& link, LinkStats& stats) = 0;
    // For ioctls on the interfaces of the namespace; -1 where there is none.
    virtual int socket() const = 0;
};
using LinkReaderPtr = std::unique_ptr<LinkReader>;

LinkReaderPtr make_netlink_reader(base::Fd socket);
LinkReaderPtr make_sysfs_reader(const base::SysRoot& root);

// A socket for make_netlink_reader(), in the namespace of the caller, or in that of the thread or
// process `id` (0: the caller). Another namespace needs CAP_SYS_ADMIN.
Result<base::Fd> open_socket(const base::SysRoot& root, int id);

// The answer to a request for statistics: the counters, or the kernel's errno.
struct StatsReply {
    int error = 0;
    LinkStats stats{};
};
// nullopt if it is neither, or the answer to another request than `sequence`. Total.
std::optional<StatsReply> parse_stats_reply(std::span<const std::byte> bytes,
                                            std::uint32_t sequence);

}  // namespace ringside::components::net
