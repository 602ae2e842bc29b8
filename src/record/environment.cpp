#include "record/environment.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/byte_writer.h"
#include "platform/container.h"
#include "platform/cpu_model.h"
#include "platform/cpuid.h"
#include "platform/hypervisor.h"
#include "proc/meminfo.h"

namespace ringside::record {

namespace {

using perf::Feature;

void put(perf::FeatureSections& features, Feature feature, std::vector<std::byte> bytes) {
    features[static_cast<std::uint32_t>(feature)] = std::move(bytes);
}

std::vector<std::byte> cpu_counts() {
    base::ByteWriter out;
    out.u32(static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_CONF)));
    out.u32(static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
    return std::move(out).take();
}

std::string cpu_id(const platform::CpuModel& cpu) {
    return fmt::format("{},{},{},{}", cpu.vendor.value.value_or("unknown"), cpu.family.value_or(0),
                       cpu.model.value_or(0), cpu.stepping.value_or(0));
}

}  // namespace

void add_machine(const base::SysRoot& root, perf::FeatureSections& features) {
    utsname self{};
    ::uname(&self);
    const auto cpu = platform::read_cpu_model(root);
    put(features, Feature::hostname, perf::encode_text(self.nodename));
    put(features, Feature::os_release, perf::encode_text(self.release));
    put(features, Feature::architecture, perf::encode_text(self.machine));
    put(features, Feature::cpus, cpu_counts());
    put(features, Feature::cpu_description, perf::encode_text(cpu.name.value.value_or("unknown")));
    if (cpu.arch == platform::Arch::x86)
        put(features, Feature::cpu_id, perf::encode_text(cpu_id(cpu)));
    const std::uint64_t memory_kb = proc::memory_total_bytes(root).value_or(0) / 1024;
    put(features, Feature::total_memory, perf::encode_words({memory_kb}));
}

perf::Context environment_of(const base::SysRoot& root) {
    const auto text = [&](std::string_view path) {
        return root.read_trimmed(path).value_or(std::string("unknown"));
    };
    perf::Context context;
    const auto cpu = platform::read_cpu_model(root);
    const auto hypervisor = platform::read_hypervisor(root, platform::Cpuid::of(root), cpu);
    context.push_back({"hypervisor", hypervisor.name});
    context.push_back({"container", platform::read_container(root).runtime});
    context.push_back(
        {"clock_source", text("/sys/devices/system/clocksource/clocksource0/current_clocksource")});
    context.push_back({"kernel", text("/proc/sys/kernel/osrelease")});
    context.push_back({"boot_id", text("/proc/sys/kernel/random/boot_id")});
    context.push_back({"kernel_command_line", text("/proc/cmdline")});
    return context;
}

}  // namespace ringside::record
