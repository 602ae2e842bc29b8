// What an interface's driver counts besides the kernel: queues of virtio and ena, rings of vmxnet3.
// Every driver has names of its own (SIOCETHTOOL, as ethtool -S shows them).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

namespace ringside::components::net {

class DriverStatistics {
  public:
    // `socket` is any socket of the interface's namespace, and must outlive this. Fails with
    // unsupported where the driver has none.
    static Result<DriverStatistics> open(int socket, const std::string& interface);

    const std::vector<std::string>& names() const { return names_; }
    // The first of that name.
    std::optional<std::size_t> find(std::string_view name) const;

    // All values. Fails when the interface is gone, or its driver has other statistics now.
    Result<void> read();
    std::uint64_t value(std::size_t index) const;

  private:
    DriverStatistics(int socket, std::string interface)
        : socket_(socket), interface_(std::move(interface)) {}
    Result<void> read_names();

    int socket_;
    std::string interface_;
    std::vector<std::string> names_;
    std::vector<std::uint64_t> buffer_;  // struct ethtool_stats, then the values
};

}  // namespace ringside::components::net
