#include "platform/topology.h"

#include <set>
#include <string>

#include <fmt/format.h>

#include "platform/readers.h"
#include "proc/cpus.h"

namespace ringside::platform {

namespace {

constexpr const char* cpu_folder = "/sys/devices/system/cpu";
constexpr const char* online_nodes = "/sys/devices/system/node/online";

std::vector<int> read_list(const base::SysRoot& root, const std::string& path) {
    return proc::read_cpu_list(root, path).value_or({});
}

// How many different texts the CPUs have in one file of their topology folder: CPUs of one core
// share the list of its threads, CPUs of one socket share its number.
Fact<int> count_distinct(const base::SysRoot& root, const std::vector<int>& cpus,
                         const std::string& file) {
    const auto source = fmt::format("{}/cpu*/topology/{}", cpu_folder, file);
    std::set<std::string> seen;
    for (const int cpu : cpus) {
        const auto line =
            read_line(root, fmt::format("{}/cpu{}/topology/{}", cpu_folder, cpu, file));
        if (!line.value) return unknown<int>(line.evidence.source, line.evidence.text);
        seen.insert(*line.value);
    }
    if (seen.empty()) return unknown<int>(source, "no CPU is known to be online");
    const auto count = static_cast<int>(seen.size());
    return known(count, source, std::to_string(count) + " different");
}

Fact<int> count_list(const std::vector<int>& members, const std::string& path) {
    if (members.empty()) return unknown<int>(path, "holds no list of CPUs or nodes");
    const auto count = static_cast<int>(members.size());
    return known(count, path, std::to_string(count) + " listed");
}

}  // namespace

Topology read_topology(const base::SysRoot& root) {
    Topology topology;
    topology.online = read_list(root, proc::online_cpus_path);
    topology.present = read_list(root, "/sys/devices/system/cpu/present");
    topology.possible = read_list(root, "/sys/devices/system/cpu/possible");
    topology.threads = count_list(topology.online, proc::online_cpus_path);
    topology.cores = count_distinct(root, topology.online, "thread_siblings_list");
    topology.sockets = count_distinct(root, topology.online, "physical_package_id");
    topology.numa_nodes = count_list(read_list(root, online_nodes), online_nodes);
    return topology;
}

}  // namespace ringside::platform
