#include "components/net/net.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "components/device_kind.h"
#include "components/lookup.h"
#include "components/net/driver_statistics.h"
#include "components/net/net_counters.h"
#include "proc/task.h"

namespace ringside::components::net {

namespace {

using session::ComponentEvent;

struct Interface {
    std::string name;
    Device device;
};

constexpr const char* own_interfaces = "/proc/thread-self/net/dev";

std::vector<std::string> names_in(const base::SysRoot& root, const std::string& path) {
    return parse_interface_names(root.read(path).value_or(""));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// In a network namespace of some process that we can see, each looked at once.
bool exists_somewhere(const base::SysRoot& root, std::string_view interface) {
    std::set<std::string> seen;
    for (const pid_t pid : proc::list_processes(root).value_or({})) {
        const auto process = fmt::format("/proc/{}", pid);
        const auto space = root.read_link(process + "/ns/net");
        if (!space || !seen.insert(*space).second) continue;
        if (contains(names_in(root, process + "/net/dev"), interface)) return true;
    }
    return false;
}

ComponentEvent kernel_event(const Interface& interface, const Statistic& statistic) {
    return {fmt::format("{}:{}", interface.name, statistic.name),
            fmt::format("{}; {}", statistic.description, interface.device.text()), statistic.unit,
            false, 0};
}

ComponentEvent driver_event(const Interface& interface, const std::string& name) {
    return {fmt::format("{}:driver:{}", interface.name, name),
            fmt::format("counted by the driver; {}", interface.device.text()), "", false, 0};
}

void add_driver_events(int socket, const Interface& interface, std::vector<ComponentEvent>& all) {
    const auto driver = DriverStatistics::open(socket, interface.name);
    if (!driver) return;
    std::set<std::string_view> seen;
    for (const auto& name : driver->names()) {
        if (seen.insert(name).second) all.push_back(driver_event(interface, name));
    }
}

class NetComponent final : public session::Component {
  public:
    explicit NetComponent(base::SysRoot root) : root_(std::move(root)) {}

    std::string_view name() const override { return "net"; }
    std::string_view description() const override {
        return "network interfaces: the kernel's counters and the drivers' own";
    }

    session::Availability availability() const override {
        std::string kinds;
        for (const auto& interface : interfaces()) {
            if (interface.device.kind == DeviceKind::software) continue;
            kinds += fmt::format("{}{} is {}", kinds.empty() ? "" : "; ", interface.name,
                                 interface.device.text());
        }
        const bool usable = !names_in(root_, own_interfaces).empty();
        return {usable, usable ? kinds : "this namespace has no network interfaces"};
    }

    std::vector<ComponentEvent> events() const override {
        std::vector<ComponentEvent> all;
        const auto socket = open_socket_for_drivers();
        for (const auto& interface : interfaces()) {
            for (const auto& statistic : statistics()) {
                all.push_back(kernel_event(interface, statistic));
            }
            if (socket) add_driver_events(socket.get(), interface, all);
        }
        return all;
    }

    // An interface may also be in the namespace that a set's target turns out to have.
    Result<ComponentEvent> find(std::string_view name) const override {
        const auto parsed = parse_event_name(name);
        const bool known =
            parsed && (parsed->of_driver || find_statistic(parsed->statistic) != nullptr);
        if (!known || !exists(parsed->interface)) return find_event({}, "net", name);
        const Interface interface = describe(std::string(parsed->interface));
        if (parsed->of_driver) return driver_event(interface, std::string(parsed->statistic));
        return kernel_event(interface, *find_statistic(parsed->statistic));
    }

    Result<session::CountersPtr> open(std::span<const ComponentEvent> events,
                                      const SetOptions& options) const override {
        if (auto fits = refuse_parts_of_machine(options, "net"); !fits) return fits.error();
        if (!root_.is_live()) {
            return open_counters(root_, make_sysfs_reader(root_), events, virtualized());
        }
        const auto& target = options.target;
        auto socket = open_socket(root_, target.id);
        if (!socket) return socket.error();
        // A container's own sysfs shows the devices of its own namespace.
        const auto root =
            target.id == 0 ? root_ : base::SysRoot(fmt::format("/proc/{}/root", target.id));
        return open_counters(root, make_netlink_reader(std::move(*socket)), events, virtualized());
    }

  private:
    Interface describe(std::string name) const {
        const auto device = identify_device(root_, "/sys/class/net/" + name, virtualized());
        return {std::move(name), device};
    }
    std::vector<Interface> interfaces() const {
        std::vector<Interface> all;
        for (auto& name : names_in(root_, own_interfaces)) all.push_back(describe(std::move(name)));
        return all;
    }
    bool exists(std::string_view interface) const {
        return contains(names_in(root_, own_interfaces), interface) ||
               exists_somewhere(root_, interface);
    }
    base::Fd open_socket_for_drivers() const {
        auto socket = root_.is_live() ? open_socket(root_, 0) : Result<base::Fd>(base::Fd());
        return socket ? std::move(*socket) : base::Fd();
    }
    std::optional<bool> virtualized() const { return is_guest_.get(root_); }

    base::SysRoot root_;
    GuestFact is_guest_;
};

}  // namespace

session::ComponentPtr make(const base::SysRoot& root) {
    return std::make_unique<NetComponent>(root);
}

// Two lines of headings, then "  eth0: 1 2 3".
std::vector<std::string> parse_interface_names(std::string_view text) {
    std::vector<std::string> names;
    for (const auto line : base::split_lines(text)) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || line.find('|') < colon) continue;
        const auto name = base::trim(line.substr(0, colon));
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

}  // namespace ringside::components::net
