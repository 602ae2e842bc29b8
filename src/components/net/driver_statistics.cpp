#include "components/net/driver_statistics.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "base/text.h"

namespace ringside::components::net {

namespace {

static_assert(sizeof(ethtool_stats) == sizeof(std::uint64_t));

// The kernel copies as many values as the driver has at that moment, whatever was asked for: room
// for drivers that make queues meanwhile.
constexpr std::size_t spare_values = 8192;
constexpr std::uint32_t most_values = 65536;

Result<void> ask(int socket, const std::string& interface, void* command) {
    ifreq request{};
    if (interface.size() >= sizeof request.ifr_name) {
        return base::fail(ErrorCode::not_found, "no network interface " + interface);
    }
    std::memcpy(request.ifr_name, interface.data(), interface.size());
    request.ifr_data = static_cast<char*>(command);
    if (::ioctl(socket, SIOCETHTOOL, &request) == 0) return {};
    return base::fail_errno(errno, "the driver of " + interface + " has no statistics of its own");
}

}  // namespace

Result<DriverStatistics> DriverStatistics::open(int socket, const std::string& interface) {
    DriverStatistics statistics(socket, interface);
    if (auto read = statistics.read_names(); !read) return read.error();
    statistics.buffer_.resize(1 + statistics.names_.size() + spare_values);
    return statistics;
}

Result<void> DriverStatistics::read_names() {
    ethtool_sset_info info{};
    info.cmd = ETHTOOL_GSSET_INFO;
    info.sset_mask = 1u << ETH_SS_STATS;
    std::vector<char> sizes(sizeof info + sizeof(__u32));
    std::memcpy(sizes.data(), &info, sizeof info);
    if (auto asked = ask(socket_, interface_, sizes.data()); !asked) return asked;
    __u32 count = 0;
    std::memcpy(&count, sizes.data() + sizeof info, sizeof count);
    if (count == 0 || count > most_values) {
        return base::fail(ErrorCode::unsupported,
                          "the driver of " + interface_ + " has no statistics of its own");
    }
    std::vector<char> bytes(sizeof(ethtool_gstrings) + (count + spare_values) * ETH_GSTRING_LEN);
    ethtool_gstrings header{};
    header.cmd = ETHTOOL_GSTRINGS;
    header.string_set = ETH_SS_STATS;
    header.len = count;
    std::memcpy(bytes.data(), &header, sizeof header);
    if (auto asked = ask(socket_, interface_, bytes.data()); !asked) return asked;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t i = 0; i < std::min(count, header.len); ++i) {
        const char* text = bytes.data() + sizeof header + i * ETH_GSTRING_LEN;
        names_.emplace_back(base::trim({text, ::strnlen(text, ETH_GSTRING_LEN)}));
    }
    return {};
}

std::optional<std::size_t> DriverStatistics::find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
}

Result<void> DriverStatistics::read() {
    ethtool_stats header{};
    header.cmd = ETHTOOL_GSTATS;
    header.n_stats = static_cast<__u32>(names_.size());
    std::memcpy(buffer_.data(), &header, sizeof header);
    if (auto asked = ask(socket_, interface_, buffer_.data()); !asked) return asked;
    std::memcpy(&header, buffer_.data(), sizeof header);
    if (header.n_stats == names_.size()) return {};
    return base::fail(ErrorCode::not_found,
                      "the driver of " + interface_ + " changed its statistics");
}

std::uint64_t DriverStatistics::value(std::size_t index) const {
    return buffer_[1 + index];
}

}  // namespace ringside::components::net
