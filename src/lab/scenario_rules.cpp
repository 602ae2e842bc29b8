#include "lab/scenario_rules.h"

#include <fmt/format.h>

#include "vpmu/snapshot.h"

namespace ringside::lab {

namespace {

std::optional<std::string> missing_event(const Scenario& scenario, const MachinePlan& machine) {
    constexpr std::string_view architectures[] = {"Intel", "AMD", "Arm"};
    const auto architecture = scenario.model.architecture;
    const Encodings encodings = encodings_of(architecture);
    for (const EventName event : machine.profile.events()) {
        if (encodings[index_of(event)]) continue;
        return fmt::format("{} counts {}, which {} does not have", machine.name, to_string(event),
                           architectures[static_cast<unsigned>(architecture)]);
    }
    return std::nullopt;
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
    if (machine.policy == vpmu::Policy::paravirtual && all > machine.model.general_count()) {
        return refusal(all, "at once");
    }
    return std::nullopt;
}

}  // namespace

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
        if (profile.counts_guests && !vpmu::traits_of(machine.policy).host_sees_guest) {
            return "a host event with counts_guests excludes every policy but legacy";
        }
    }
    if (const auto missing = missing_event(scenario, machine)) return missing;
    return too_many(machine);
}

}  // namespace ringside::lab
