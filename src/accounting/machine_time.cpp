#include "accounting/machine_time.h"

#include <algorithm>

#include <ringside/clocks.h>

#include "base/error.h"
#include "base/text.h"
#include "proc/mounts.h"
#include "proc/stat.h"

namespace ringside::accounting {

namespace {

using Ns = std::optional<std::uint64_t>;

Ns less(const Ns& from, const Ns& what) {
    if (!from || !what) return std::nullopt;
    return *from > *what ? *from - *what : 0;
}

class CpuTimeMeter final : public MachineMeter {
  public:
    CpuTimeMeter(const base::SysRoot& root, std::vector<int> cpus)
        : root_(root), cpus_(std::move(cpus)) {}

    Result<MachineTime> read() override {
        const auto stat = proc::read_stat(root_);
        if (!stat) return stat.error();
        sums_.add(*stat);
        proc::CpuTicks sum;
        MachineTime time;
        for (const auto& [cpu, ticks] : sums_.since_start()) {
            if (!cpus_.empty() && std::find(cpus_.begin(), cpus_.end(), cpu) == cpus_.end()) {
                continue;
            }
            ++time.cpus;
            sum.user += ticks.user + ticks.nice;
            sum.system += ticks.system + ticks.irq + ticks.softirq;
            sum.steal += ticks.steal;
            sum.idle += ticks.idle;
            sum.iowait += ticks.iowait;
        }
        time.wall_ns = real_ns() - start_ns_;
        time.step_ns = proc::tick_ns();
        time.user_ns = sum.user * time.step_ns;
        time.kernel_ns = sum.system * time.step_ns;
        time.stolen_ns = sum.steal * time.step_ns;
        time.idle_ns = sum.idle * time.step_ns;
        time.idle_io_ns = sum.iowait * time.step_ns;
        time.source = "/proc/stat";
        return time;
    }

  private:
    base::SysRoot root_;
    std::vector<int> cpus_;
    std::uint64_t start_ns_ = real_ns();
    proc::TickSums sums_;
};

// Version 2 has cpu.stat in microseconds, version 1 two files of cpuacct in nanoseconds.
Result<MachineTime> read_cgroup(const base::SysRoot& root, const std::string& path) {
    MachineTime time;
    for (const auto& folder : proc::cgroup_folders(path)) {
        const auto text = root.read(folder + "/cpu.stat");
        if (!text) continue;
        for (const auto line : base::split_lines(*text)) {
            const auto words = base::split_words(line);
            const auto us = words.size() == 2 ? base::parse_u64(words[1]) : std::nullopt;
            if (us && words[0] == "user_usec") time.user_ns = *us * 1000;
            if (us && words[0] == "system_usec") time.kernel_ns = *us * 1000;
        }
        time.step_ns = 1000;
        time.source = "cpu.stat";
        if (time.user_ns) return time;
    }
    const std::string folder = proc::cgroup_v1_folder("cpuacct", path);
    const auto number = [&](const char* file) -> Ns {
        const auto text = root.read_trimmed(folder + file);
        return text ? base::parse_u64(*text) : std::nullopt;
    };
    time.user_ns = number("/cpuacct.usage_user");
    time.kernel_ns = number("/cpuacct.usage_sys");
    time.step_ns = 1;
    time.source = "cpuacct";
    if (time.user_ns && time.kernel_ns) return time;
    return base::fail(ErrorCode::unsupported,
                      "the kernel keeps no CPU time for the cgroup " + path);
}

class CgroupTimeMeter final : public MachineMeter {
  public:
    CgroupTimeMeter(const base::SysRoot& root, std::string path, MachineTime start)
        : root_(root), path_(std::move(path)), start_(std::move(start)) {}

    Result<MachineTime> read() override {
        auto now = read_cgroup(root_, path_);
        if (!now) return now;
        now->wall_ns = real_ns() - start_ns_;
        return between(start_, *now);
    }

  private:
    base::SysRoot root_;
    std::string path_;
    MachineTime start_;
    std::uint64_t start_ns_ = real_ns();
};

}  // namespace

std::optional<std::int64_t> MachineTime::unexplained_ns() const {
    if (cpus == 0) return std::nullopt;
    auto rest = static_cast<std::int64_t>(wall_ns * cpus);
    for (const Ns& part : {user_ns, kernel_ns, stolen_ns, idle_ns, idle_io_ns}) {
        rest -= static_cast<std::int64_t>(part.value_or(0));
    }
    return rest;
}

MachineTime between(const MachineTime& earlier, const MachineTime& later) {
    MachineTime time = later;
    time.wall_ns -= std::min(later.wall_ns, earlier.wall_ns);
    time.user_ns = less(later.user_ns, earlier.user_ns);
    time.kernel_ns = less(later.kernel_ns, earlier.kernel_ns);
    time.stolen_ns = less(later.stolen_ns, earlier.stolen_ns);
    time.idle_ns = less(later.idle_ns, earlier.idle_ns);
    time.idle_io_ns = less(later.idle_io_ns, earlier.idle_io_ns);
    return time;
}

Result<MachineMeterPtr> make_cpu_time_meter(const base::SysRoot& root, std::vector<int> cpus) {
    auto meter = std::make_unique<CpuTimeMeter>(root, std::move(cpus));
    if (const auto first = meter->read(); !first) return first.error();
    return MachineMeterPtr(std::move(meter));
}

Result<MachineMeterPtr> make_cgroup_time_meter(const base::SysRoot& root, const std::string& path) {
    auto start = read_cgroup(root, path);
    if (!start) return start.error();
    return MachineMeterPtr(std::make_unique<CgroupTimeMeter>(root, path, std::move(*start)));
}

}  // namespace ringside::accounting
