#include "platform/kvm_host.h"

#include <fmt/format.h>

#include "base/text.h"
#include "platform/readers.h"

namespace ringside::platform {

namespace {

constexpr std::string_view modules[] = {"kvm", "kvm_amd", "kvm_intel", "kvm_pvm"};

std::string parameters_of(std::string_view module) {
    return "/sys/module/" + std::string(module) + "/parameters";
}

std::vector<Evidence> read_parameters(const base::SysRoot& root) {
    std::vector<Evidence> all;
    for (const auto module : modules) {
        const auto folder = parameters_of(module);
        for (const auto& name : root.list(folder).value_or({})) {
            all.push_back(read_line(root, fmt::format("{}/{}", folder, name)).evidence);
        }
    }
    return all;
}

// A parameter that moved between modules and kernels: the first place that has it counts.
Fact<bool> find_switch(const base::SysRoot& root, std::initializer_list<const char*> names) {
    for (const std::string name : names) {
        for (const auto module : modules) {
            const auto path = parameters_of(module) + "/" + name;
            if (root.exists(path)) return read_switch(root, path);
        }
    }
    return unknown<bool>("/sys/module/kvm*/parameters",
                         "no parameter " + std::string(*names.begin()));
}

// The kernel says which mode it chose only in its log. Linux uses VHE where it is, and FEAT_VHE and
// FEAT_LSE both became mandatory with Armv8.1; the second shows in cpuinfo as "atomics".
Fact<std::string> guess_arm_backend(const base::SysRoot& root, const CpuModel& cpu) {
    const auto cmdline = read_line(root, "/proc/cmdline").value.value_or("");
    for (const auto word : base::split_words(cmdline)) {
        const std::string_view option = "kvm-arm.mode=";
        if (!word.starts_with(option)) continue;
        const auto mode = word.substr(option.size());
        if (mode == "nvhe" || mode == "protected") {
            return known(std::string(mode), "/proc/cmdline", std::string(word));
        }
    }
    const bool has_lse = cpu.has_flag("atomics");
    return known<std::string>(has_lse ? "vhe" : "nvhe", "/proc/cpuinfo Features: atomics",
                              has_lse ? "ARMv8.1 or later" : "ARMv8.0", true);
}

Fact<std::string> read_backend(const base::SysRoot& root, const CpuModel& cpu) {
    struct Backend {
        const char* module;
        const char* name;
    };
    for (const auto& [module, name] :
         {Backend{"kvm_pvm", "pvm"}, Backend{"kvm_amd", "svm"}, Backend{"kvm_intel", "vmx"}}) {
        const auto path = "/sys/module/" + std::string(module);
        if (root.exists(path)) return known<std::string>(name, path, "module is there");
    }
    if (cpu.arch == Arch::arm64) return guess_arm_backend(root, cpu);
    for (const auto& [flag, name] : {Backend{"svm", "svm"}, Backend{"vmx", "vmx"}}) {
        if (cpu.has_flag(flag)) return known<std::string>(name, "/proc/cpuinfo flags", flag, true);
    }
    return unknown<std::string>("/sys/module", "no module of KVM says");
}

}  // namespace

KvmHost read_kvm_host(const base::SysRoot& root, const CpuModel& cpu) {
    KvmHost host;
    const bool exists = root.exists("/dev/kvm");
    host.device = known(exists, "/dev/kvm", exists ? "exists" : "does not exist");
    host.parameters = read_parameters(root);
    host.backend =
        exists ? read_backend(root, cpu) : unknown<std::string>("/dev/kvm", "does not exist");
    host.vpmu = find_switch(root, {"enable_pmu", "pmu"});
    host.mediated_pmu = find_switch(root, {"enable_mediated_pmu", "mediated_pmu"});
    host.nested = find_switch(root, {"nested"});
    return host;
}

}  // namespace ringside::platform
