#include "lab/scenario_rules.h"

#include <fmt/format.h>

#include "vpmu/snapshot.h"

namespace ringside::lab {

namespace {

constexpr unsigned most_vcpus_of_a_host = 65'536;

std::optional<std::string> too_crowded(const Scenario& scenario, const MachinePlan& machine) {
    const std::uint64_t vcpus = std::uint64_t{machine.count} * machine.vcpus / scenario.hosts;
    if (vcpus <= most_vcpus_of_a_host) return std::nullopt;
    return fmt::format("{}: {} vCPUs on a host, more than {}", machine.name, vcpus,
                       most_vcpus_of_a_host);
}

std::optional<std::string> too_many(const MachinePlan& machine) {
    const unsigned counters = vpmu::count_bits(machine.model.slots());
    const auto refusal = [&](std::size_t events, const char* together) {
        return fmt::format("{} counts {} events {} with {} counters", machine.name, events,
                           together, counters);
    };
    for (const auto& group : machine.profile.groups) {
        if (group.size() > counters) return refusal(group.size(), "in a group");
    }
    const std::size_t all = machine.profile.events().size();
    // Only perf multiplexes; a paravirtual thread's configuration is one whole.
    if (vpmu::is_logical(machine.policy) && all > machine.model.general_count()) {
        return refusal(all, "at once");
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> why_not(vpmu::Architecture architecture, EventName event) {
    constexpr std::string_view architectures[] = {"Intel", "AMD", "Arm"};
    if (encodings_of(architecture)[index_of(event)]) return std::nullopt;
    return fmt::format("{}, which {} does not have", to_string(event),
                       architectures[static_cast<unsigned>(architecture)]);
}

std::optional<std::string> why_not(const Scenario& scenario, const MachinePlan& machine) {
    if (!vpmu::is_possible(machine.model)) {
        return fmt::format("{}: there is no such PMU with {} counters", machine.name,
                           machine.model.general_count());
    }
    vpmu::Vm vm;
    vm.policy = machine.policy;
    vm.model = machine.model;
    if (const auto refusal = vpmu::can_host(vm, scenario.model); refusal != vpmu::Refusal::none) {
        return fmt::format("{} cannot run here under {}: {}", machine.name,
                           vpmu::traits_of(machine.policy).name, vpmu::to_text(refusal));
    }
    // As KVM: no mediated machine beside a host event that would count it.
    for (const HostProfile& profile : scenario.host) {
        if (profile.counts_guests && !vpmu::host_sees_guest(machine.policy)) {
            return "a host event with counts_guests excludes every policy but legacy";
        }
    }
    for (const EventName event : machine.profile.events()) {
        const auto missing = why_not(scenario.model.architecture, event);
        if (missing) return fmt::format("{} counts {}", machine.name, *missing);
    }
    if (auto crowded = too_crowded(scenario, machine)) return crowded;
    return too_many(machine);
}

}  // namespace ringside::lab
