// Every tree under tests/fixtures/machines is described, and what its expected.txt says is
// compared. A new machine is a new folder: nothing here names one.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "platform/machine.h"

namespace ringside::platform {
namespace {

using Facts = std::map<std::string, std::string>;

const std::string machines_folder = std::string(RINGSIDE_FIXTURES) + "/machines";

std::string show(bool value) {
    return value ? "yes" : "no";
}
std::string show(const std::string& value) {
    return value;
}
template <typename Number>
std::string show(Number value) {
    return std::to_string(value);
}
template <typename T>
std::string show(const std::optional<T>& value) {
    return value ? show(*value) : "unknown";
}
template <typename T>
std::string show(const Fact<T>& fact) {
    return show(fact.value);
}

std::string show(Arch arch) {
    return arch == Arch::x86 ? "x86" : arch == Arch::arm64 ? "arm64" : "other";
}

std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string show(const std::vector<Layer>& layers) {
    std::vector<std::string> parts;
    for (const auto& layer : layers) {
        const std::string detail = layer.detail.empty() ? "" : " (" + layer.detail + ")";
        parts.push_back(layer.kind + " " + layer.name + detail);
    }
    return join(parts);
}

std::string host_clock(const ClockSource& clock) {
    for (const auto& each : clock.ptp) {
        if (each.of_host) return each.name;
    }
    return "none";
}

void add_pmu(const EventSources& sources, Facts& facts) {
    const auto* cpu = sources.cpu();
    facts["cpu_pmu"] = cpu != nullptr ? cpu->name : "none";
    facts["advertised_pmu"] = show(sources.advertised.kind);
    facts["advertised_counters"] = show(sources.advertised.general_counters);
    if (cpu == nullptr) return;
    facts["cpu_pmu_type"] = show(cpu->type);
    facts["cpu_pmu_events"] = show(cpu->events.size());
    facts["cpu_pmu_rdpmc"] = show(cpu->rdpmc);
}

void add_permissions(const Permissions& permissions, Facts& facts) {
    facts["paranoid"] = show(permissions.perf_event_paranoid);
    facts["perf_user_access"] = show(permissions.perf_user_access);
    facts["seccomp"] = show(permissions.seccomp_mode);
    facts["lockdown"] = show(permissions.lockdown);
    facts["may_count_user"] = show(permissions.may_count_user());
    facts["may_count_kernel"] = show(permissions.may_count_kernel());
}

void add_host_and_clock(const Machine& machine, Facts& facts) {
    facts["clocksource"] = show(machine.clock.current);
    facts["tsc_invariant"] = show(machine.clock.tsc_invariant);
    facts["pvclock"] = show(machine.clock.pvclock);
    facts["counter_hz"] = show(machine.clock.counter_hz);
    facts["cpu_hz"] = show(machine.clock.cpu_hz);
    facts["steal_reported"] = show(machine.clock.steal_reported);
    facts["host_ptp"] = host_clock(machine.clock);
    facts["kvm_device"] = show(machine.kvm_host.device);
    facts["kvm_backend"] = show(machine.kvm_host.backend);
    facts["vpmu"] = show(machine.kvm_host.vpmu);
    facts["mediated_pmu"] = show(machine.kvm_host.mediated_pmu);
    facts["nesting_offered"] = show(machine.nesting_offered);
    facts["nested"] = show(machine.kvm_host.nested);
}

Facts facts_of(const Machine& machine) {
    Facts facts;
    facts["kernel"] = show(machine.kernel_release);
    facts["arch"] = show(machine.cpu.arch);
    facts["cpu"] = show(machine.cpu.name);
    facts["hypervisor"] = machine.hypervisor.name;
    facts["mode"] = machine.hypervisor.mode;
    facts["vmm"] = machine.hypervisor.vmm;
    facts["pmu_policy"] = machine.hypervisor.pmu_policy;
    facts["also_named"] = join(machine.hypervisor.also_named);
    facts["virtualized"] = show(machine.hypervisor.virtualized);
    facts["container"] = machine.container.runtime;
    facts["orchestrator"] = machine.container.orchestrator;
    facts["layers"] = show(machine.layers);
    facts["sockets"] = show(machine.topology.sockets);
    facts["cores"] = show(machine.topology.cores);
    facts["threads"] = show(machine.topology.threads);
    facts["numa_nodes"] = show(machine.topology.numa_nodes);
    add_host_and_clock(machine, facts);
    add_pmu(machine.event_sources, facts);
    add_permissions(machine.permissions, facts);
    return facts;
}

std::vector<std::string> fixture_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(machines_folder)) {
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    return names;
}

class MachineFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(MachineFixture, IsDescribedAsExpected) {
    const base::SysRoot root(machines_folder + "/" + GetParam());
    const auto expected = root.read("/expected.txt");
    ASSERT_TRUE(expected) << expected.error().what;
    const auto facts = facts_of(describe(root));
    for (const std::string key :
         {"hypervisor", "vmm", "virtualized", "container", "clocksource", "cpu_pmu"}) {
        EXPECT_TRUE(base::find_field(*expected, key)) << "expected.txt must say " << key;
    }
    for (const auto line : base::split_lines(*expected)) {
        const auto colon = line.find(':');
        ASSERT_NE(colon, std::string_view::npos) << line;
        const std::string key(line.substr(0, colon));
        ASSERT_TRUE(facts.contains(key)) << "no such fact here: " << key;
        EXPECT_EQ(facts.at(key), base::trim(line.substr(colon + 1))) << key;
    }
}

TEST_P(MachineFixture, EveryFactNamesItsSource) {
    const auto machine = describe(base::SysRoot(machines_folder + "/" + GetParam()));
    ASSERT_FALSE(machine.hypervisor.evidence.empty());
    for (const auto& each : machine.hypervisor.evidence) EXPECT_FALSE(each.source.empty());
    for (const auto& evidence :
         {machine.kernel_release.evidence, machine.cpu.name.evidence,
          machine.hypervisor.virtualized.evidence, machine.kvm_host.backend.evidence,
          machine.kvm_host.vpmu.evidence, machine.topology.sockets.evidence,
          machine.topology.threads.evidence, machine.clock.current.evidence,
          machine.clock.tsc_invariant.evidence, machine.clock.counter_hz.evidence,
          machine.clock.steal_reported.evidence, machine.event_sources.readable.evidence,
          machine.event_sources.advertised.kind.evidence,
          machine.permissions.perf_event_paranoid.evidence,
          machine.permissions.effective_capabilities.evidence,
          machine.permissions.lockdown.evidence}) {
        EXPECT_FALSE(evidence.source.empty());
        EXPECT_FALSE(evidence.text.empty()) << evidence.source;
    }
}

INSTANTIATE_TEST_SUITE_P(All, MachineFixture, ::testing::ValuesIn(fixture_names()),
                         [](const auto& test) { return test.param; });

TEST(Machines, AtLeastTenAreThere) {
    EXPECT_GE(fixture_names().size(), 10u);
}

TEST(Machines, TheLiveOneIsDescribed) {
    const auto machine = describe();
    EXPECT_TRUE(machine.kernel_release.value) << machine.kernel_release.evidence.text;
    EXPECT_GE(machine.topology.threads.value.value_or(0), 1);
    EXPECT_NE(machine.hypervisor.name, "");
    EXPECT_TRUE(machine.event_sources.readable.value.has_value());
}

}  // namespace
}  // namespace ringside::platform
