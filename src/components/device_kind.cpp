#include "components/device_kind.h"

#include <array>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/fork.h"
#include "platform/machine.h"

namespace ringside::components {

namespace {

constexpr std::array<std::pair<DeviceKind, std::string_view>, 7> kind_names{{
    {DeviceKind::software, "software"},
    {DeviceKind::paravirtual, "paravirtual"},
    {DeviceKind::emulated, "emulated"},
    {DeviceKind::virtual_function, "virtual function"},
    {DeviceKind::passed_through, "passed through"},
    {DeviceKind::physical, "physical"},
    {DeviceKind::unknown, "unknown"},
}};

struct Row {
    std::string match;  // "driver:virtio_net", "pci:15b3:1014"
    DeviceKind kind;
    std::string what;
};

DeviceKind parse_kind(std::string_view text) {
    if (text == "virtual_function") return DeviceKind::virtual_function;
    if (text == "paravirtual") return DeviceKind::paravirtual;
    RINGSIDE_ASSERT(text == "emulated");
    return DeviceKind::emulated;
}

std::vector<Row> read_table() {
    const auto text = base::embedded_file("net/drivers.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<Row> rows;
    for (const auto& row : base::parse_csv(*text)) {
        RINGSIDE_ASSERT(row.size() == 3);
        if (row[0] != "match") rows.push_back({row[0], parse_kind(row[1]), row[2]});
    }
    return rows;
}

std::string link_name(const base::SysRoot& root, const std::string& path) {
    const auto link = root.read_link(path).value_or("");
    return link.substr(link.rfind('/') + 1);
}

// "0x15b3" in the file becomes "15b3".
std::string read_id(const base::SysRoot& root, const std::string& path) {
    const auto text = root.read_trimmed(path).value_or("");
    return text.starts_with("0x") ? text.substr(2) : text;
}

// The names under which the table may know the device.
std::vector<std::string> keys_of(const base::SysRoot& root, const std::string& device,
                                 const std::string& driver) {
    std::vector<std::string> keys{"driver:" + driver};
    if (link_name(root, device + "/subsystem") != "pci") return keys;
    keys.push_back("pci:" + read_id(root, device + "/vendor") + ":" +
                   read_id(root, device + "/device"));
    keys.push_back("subsystem:" + read_id(root, device + "/subsystem_vendor") + ":" +
                   read_id(root, device + "/subsystem_device"));
    return keys;
}

const Row* find_row(const std::vector<Row>& table, const std::vector<std::string>& keys) {
    for (const Row& row : table) {
        for (const auto& key : keys) {
            if (row.match == key) return &row;
        }
    }
    return nullptr;
}

DeviceKind kind_of_unlisted(bool is_slice, std::optional<bool> virtualized) {
    if (is_slice) return DeviceKind::virtual_function;
    if (!virtualized) return DeviceKind::unknown;
    return *virtualized ? DeviceKind::passed_through : DeviceKind::physical;
}

}  // namespace

std::string_view to_string(DeviceKind kind) {
    for (const auto& [value, name] : kind_names) {
        if (value == kind) return name;
    }
    return "unknown";
}

std::string Device::text() const {
    std::string detail = driver;
    if (!driver.empty() && !what.empty()) detail += ", ";
    detail += what;
    return std::string(to_string(kind)) + (detail.empty() ? "" : " (" + detail + ")");
}

Device identify_device(const base::SysRoot& root, const std::string& class_path,
                       std::optional<bool> virtualized) {
    if (!root.exists(class_path)) return {};
    const auto device_path = class_path + "/device";
    if (!root.exists(device_path)) return {DeviceKind::software, {}, {}};
    static const std::vector<Row> table = read_table();
    Device device;
    device.driver = link_name(root, device_path + "/driver");
    const Row* row = find_row(table, keys_of(root, device_path, device.driver));
    // A host sees which function its slices belong to.
    const bool is_slice = root.exists(device_path + "/physfn");
    device.kind = row != nullptr ? row->kind : kind_of_unlisted(is_slice, virtualized);
    if (row != nullptr) device.what = row->what;
    if (device.kind == DeviceKind::emulated && virtualized == false) {
        device.kind = DeviceKind::physical;
    }
    return device;
}

std::optional<bool> GuestFact::get(const base::SysRoot& root) const {
    const base::NoFork no_fork;
    std::call_once(once_,
                   [&] { virtualized_ = platform::describe(root).hypervisor.virtualized.value; });
    return virtualized_;
}

}  // namespace ringside::components
