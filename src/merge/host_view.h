// What a host's recording says of its guests' CPUs: when each vCPU's thread ran guest code, and
// what it did meanwhile otherwise. From kvm_entry and kvm_exit, and more where more was recorded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "perf/data_file.h"

namespace ringside::merge {

enum class Doing : std::uint8_t {
    running,   // guest code
    kernel,    // the host's kernel handles an exit
    vmm,       // the VMM does, in user space; apart only with kvm:kvm_userspace_exit
    waiting,   // could run and was not let: steal; known only with sched:sched_switch
    sleeping,  // halted, or the VMM waits for something; likewise
    unknown,   // records of it were lost
};
constexpr std::size_t doing_count = 6;
// "running", "kernel", ... Static storage.
std::string_view to_string(Doing doing);

struct Stretch {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint32_t cpu = 0;  // of the host, where it began
    Doing doing = Doing::unknown;
};

struct Span {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
};

using DoingTimes = std::array<std::uint64_t, doing_count>;

struct VcpuThread {
    std::uint32_t pid = 0;  // the VMM
    std::uint32_t tid = 0;
    std::optional<std::uint32_t> vcpu;  // as KVM numbers them, if the recording says
    std::vector<Stretch> stretches;     // one behind the other
    std::vector<Span> runs;             // when guest code can have run: running or unknown
    std::vector<std::uint64_t> exits_ns;

    // How long it did what between two instants.
    DoingTimes times(std::uint64_t from_ns, std::uint64_t to_ns) const;
    // The host's CPU it was on, or was on last.
    std::uint32_t cpu_at(std::uint64_t time_ns) const;
};

struct HostView {
    std::uint64_t first_ns = 0;  // of all samples
    std::uint64_t last_ns = 0;
    std::vector<VcpuThread> threads;  // by pid, then by vCPU
    bool sees_switches = false;       // waiting and sleeping are known
    bool sees_wakeups = false;        // and the time from a wakeup to running counts as waiting
    bool sees_vmm = false;            // vmm is told from kernel
};

// `names` are the threads' names, by tid: QEMU calls its vCPUs "CPU 0/KVM". Fails if the file has
// no kvm_entry and kvm_exit, or no times.
Result<HostView> read_host(const perf::DataFile& file, const std::string& path,
                           const std::map<std::uint32_t, std::string>& names);

}  // namespace ringside::merge
