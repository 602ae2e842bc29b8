// What stands behind a network or RDMA device: an emulated model of hardware, a paravirtual device,
// a virtual function, a whole device passed through. They differ tenfold in what they can carry.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/sys_root.h"

namespace ringside::components {

enum class DeviceKind {
    software,          // no device: loopback, a bridge, a tunnel
    paravirtual,       // made for guests
    emulated,          // a model of real hardware, run by the hypervisor
    virtual_function,  // a slice of a device, lent by the device itself
    passed_through,    // a whole device, lent to this guest alone
    physical,          // a device of a machine that is not virtual
    unknown,
};
// "paravirtual", "passed through", ... Static storage.
std::string_view to_string(DeviceKind kind);

struct Device {
    DeviceKind kind = DeviceKind::unknown;
    std::string driver;  // "virtio_net", may be empty
    std::string what;    // "virtio", "Intel 82540EM"; may be empty

    // "paravirtual (virtio_net, virtio)".
    std::string text() const;
};

// `class_path` is the device's place in sysfs, "/sys/class/net/eth0". The table is
// data/net/drivers.csv; `virtualized` is whether this machine is a guest, if that is known.
Device identify_device(const base::SysRoot& root, const std::string& class_path,
                       std::optional<bool> virtualized);

// Whether a machine is a guest, looked up at the first question. Safe to use from several threads.
class GuestFact {
  public:
    std::optional<bool> get(const base::SysRoot& root) const;

  private:
    mutable std::once_flag once_;
    mutable std::optional<bool> virtualized_;
};

}  // namespace ringside::components
