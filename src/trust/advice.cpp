#include "trust/advice.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"

namespace ringside::trust {

namespace {

bool any_event(const Report& report, CounterState state) {
    return std::any_of(report.events.begin(), report.events.end(),
                       [&](const Verdict& event) { return event.state == state; });
}

const Verdict* find_event(const Report& report, std::string_view name) {
    const auto found = std::find_if(report.events.begin(), report.events.end(),
                                    [&](const Verdict& event) { return event.name == name; });
    return found == report.events.end() ? nullptr : &*found;
}

bool has_state(const Report& report, std::string_view name, CounterState state) {
    const Verdict* event = find_event(report, name);
    return event != nullptr && event->state == state;
}

// Not even the clock that needs nothing may be opened.
bool perf_forbidden(const Report& report) {
    return has_state(report, "task-clock", CounterState::not_permitted);
}

bool by_seccomp(const Report& report) {
    return perf_forbidden(report) && report.machine.permissions.seccomp_mode.value == 2;
}

bool in_container(const Report& report) {
    return report.machine.container.runtime != "none";
}

// The advice for a machine without a PMU depends on who would have to lend it one.
std::string_view lender(const Report& report) {
    struct Name {
        std::string_view seen;
        std::string_view condition;
    };
    constexpr std::array vmms{Name{"firecracker", "no_pmu_firecracker"},
                              Name{"cloud-hypervisor", "no_pmu_cloud_hypervisor"},
                              Name{"aws-nitro", "no_pmu_aws"}, Name{"gce", "no_pmu_gce"},
                              Name{"azure", "no_pmu_azure"}};
    constexpr std::array hypervisors{
        Name{"tcg", "no_pmu_tcg"},       Name{"vmware", "no_pmu_vmware"},
        Name{"hyperv", "no_pmu_hyperv"}, Name{"xen", "no_pmu_xen"},
        Name{"kvm", "no_pmu_qemu"},      Name{"virtualbox", "no_pmu_virtualbox"},
        Name{"none", "no_pmu_metal"}};
    for (const auto& name : vmms) {
        if (report.machine.hypervisor.vmm == name.seen) return name.condition;
    }
    for (const auto& name : hypervisors) {
        if (report.machine.hypervisor.name == name.seen) return name.condition;
    }
    return "no_pmu_other";
}

bool user_read_off(const Report& report, platform::Arch arch) {
    return report.machine.cpu.arch == arch &&
           report.pmu.user_read.state == CounterState::not_permitted &&
           report.pmu.counters_ok.value_or(0) > 0;
}

bool has_slow_clock(const Report& report) {
    const std::string source = report.machine.clock.current.value.value_or("");
    return source == "hpet" || source == "acpi_pm" || source == "jiffies" ||
           source == "refined-jiffies";
}

bool is_starved(const Report& report) {
    const auto& slots = report.pmu.slots;
    return !report.page.starved.empty() || any_event(report, CounterState::starved) ||
           std::any_of(slots.begin(), slots.end(),
                       [](const SlotVerdict& slot) { return slot.state == CounterState::starved; });
}

struct Condition {
    std::string_view name;
    bool (*holds)(const Report&);
};

constexpr std::array conditions{
    Condition{"no_instructions",
              [](const Report& r) {
                  return r.pmu.present == true &&
                         has_state(r, "instructions", CounterState::absent);
              }},
    Condition{"perf_forbidden_seccomp", by_seccomp},
    Condition{"perf_forbidden_container",
              [](const Report& r) { return perf_forbidden(r) && in_container(r); }},
    Condition{"perf_forbidden",
              [](const Report& r) { return perf_forbidden(r) && !by_seccomp(r); }},
    Condition{"kernel_forbidden",
              [](const Report& r) {
                  return !perf_forbidden(r) &&
                         has_state(r, "context-switches", CounterState::not_permitted);
              }},
    Condition{"starved", is_starved},
    Condition{"frozen",
              [](const Report& r) {
                  // From the first slice on it is not news but starvation.
                  return std::any_of(r.pmu.watch.freezes.begin(), r.pmu.watch.freezes.end(),
                                     [](const Freeze& freeze) { return freeze.at_ns > 0; });
              }},
    Condition{"dead", [](const Report& r) { return any_event(r, CounterState::dead); }},
    Condition{"implausible",
              [](const Report& r) { return any_event(r, CounterState::implausible); }},
    Condition{"nmi_watchdog",
              [](const Report& r) { return r.nmi_watchdog && r.pmu.present == true; }},
    Condition{"user_read_arm64",
              [](const Report& r) { return user_read_off(r, platform::Arch::arm64); }},
    Condition{"user_read_x86",
              [](const Report& r) { return user_read_off(r, platform::Arch::x86); }},
    Condition{"user_read_broken",
              [](const Report& r) {
                  return r.pmu.user_read.state == CounterState::dead ||
                         r.pmu.user_read.state == CounterState::implausible;
              }},
    Condition{"sampling_clock", [](const Report& r) { return r.sampling.event == "cpu-clock"; }},
    Condition{"no_sampling", [](const Report& r) { return !r.sampling.event; }},
    Condition{
        "kvm_forbidden",
        [](const Report& r) { return r.machine.kvm_host.device.value == true && !r.kvm.usable; }},
    Condition{"slow_clock", has_slow_clock},
};

bool holds(const Report& report, std::string_view name) {
    if (name.starts_with("no_pmu_")) return report.pmu.present == false && lender(report) == name;
    for (const auto& condition : conditions) {
        if (condition.name == name) return condition.holds(report);
    }
    return false;
}

}  // namespace

bool is_condition(std::string_view name) {
    return name.starts_with("no_pmu_") ||
           std::any_of(conditions.begin(), conditions.end(),
                       [&](const Condition& condition) { return condition.name == name; });
}

std::vector<std::string> advise(const Report& report) {
    const auto text = base::embedded_file("trust/advice.csv");
    RINGSIDE_ASSERT(text.has_value());
    std::vector<std::string> advice;
    for (const auto& row : base::parse_csv(*text)) {
        if (row.size() == 2 && holds(report, row[0])) advice.push_back(row[1]);
    }
    return advice;
}

}  // namespace ringside::trust
