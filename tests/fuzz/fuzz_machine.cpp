// The whole description of a machine whose files hold the parts of the input between 0xfe bytes, in
// turn, or each the whole input where it has no such byte. The tree lies in memory-backed /dev/shm
// where there is one, and its files are rewritten, not made anew.
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <stdlib.h>

#include "fuzz_input.h"
#include "platform/machine.h"

namespace {

using namespace ringside;

constexpr std::array files = {
    "/cpuid.txt",
    "/proc/cpuinfo",
    "/proc/stat",
    "/proc/cmdline",
    "/proc/1/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/status",
    "/proc/sys/kernel/perf_event_paranoid",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/hypervisor/type",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "/sys/bus/event_source/devices/cpu/type",
    "/sys/firmware/acpi/tables/FACP",
    "/proc/device-tree/compatible",
};

class Tree {
  public:
    Tree() {
        const bool has_shm = std::filesystem::is_directory("/dev/shm");
        path_ = std::string(has_shm ? "/dev/shm" : "/tmp") + "/rs_fuzzXXXXXX";
        RINGSIDE_ASSERT(::mkdtemp(path_.data()) != nullptr);
        for (const std::string file : files) {
            std::filesystem::create_directories(std::filesystem::path(path_ + file).parent_path());
        }
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree() { std::filesystem::remove_all(path_); }

    base::SysRoot fill(std::string_view input) const {
        const bool has_parts = input.find('\xfe') != std::string_view::npos;
        for (const std::string file : files) {
            const auto part = has_parts ? fuzz::take_part(input, '\xfe') : input;
            std::ofstream(path_ + file, std::ios::binary) << part;
        }
        return base::SysRoot(path_);
    }

  private:
    std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Tree tree;
    const auto machine = platform::describe(tree.fill(fuzz::as_text(data, size)));
    RINGSIDE_ASSERT(!machine.hypervisor.name.empty() && !machine.hypervisor.vmm.empty());
    RINGSIDE_ASSERT(!machine.hypervisor.evidence.empty());
    RINGSIDE_ASSERT(machine.topology.threads.value.value_or(1) >= 1);
    return 0;
}
