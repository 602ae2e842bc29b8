
#include "base/json.h"
#include "report/lab/lab_report.h"

namespace ringside::report {

namespace {

using base::Json;

Json events_json(const std::vector<lab::CountedEvent>& events) {
    Json json = Json::array();
    for (const auto& event : events) {
        json.push_back({{"event", to_string(event.event)},
                        {"counted", event.counted},
                        {"truth", event.truth},
                        {"running_share", event.running_share},
                        {"starved", event.starved}});
    }
    return json;
}

Json thread_json(const lab::ThreadResult& thread, const lab::Costs& costs) {
    Json json{{"name", thread.name}, {"lost_ns", costs.to_ns(thread.lost_cycles)}};
    json["events"] = events_json(thread.events);
    json["phases"] = Json::array();
    for (const auto& phase : thread.phases) {
        json["phases"].push_back({{"name", phase.name}, {"samples", phase.samples}});
    }
    return json;
}

// Only what was touched: by the kernel's work, the register, and reads or writes.
Json accesses_json(vpmu::Architecture architecture, const lab::AccessTable& table) {
    Json json = Json::array();
    for (unsigned work = 0; work < lab::kernel_works; ++work) {
        for (unsigned kind = 0; kind < lab::register_kinds; ++kind) {
            for (unsigned writes = 0; writes < 2; ++writes) {
                const lab::AccessCount& count = table.counts[work][kind][writes];
                if (count.accesses == 0) continue;
                const auto name =
                    lab::register_name(architecture, static_cast<vpmu::RegisterKind>(kind));
                json.push_back({{"work", lab::to_text(static_cast<lab::KernelWork>(work))},
                                {"register", name},
                                {"direction", writes != 0 ? "write" : "read"},
                                {"accesses", count.accesses},
                                {"exits", count.exits}});
            }
        }
    }
    return json;
}

Json exits_json(const lab::Exits& exits) {
    return {{"pmu_register", exits.pmu_register},
            {"pmu_rdpmc", exits.pmu_rdpmc},
            {"pmu_interrupt", exits.pmu_interrupt},
            {"hypercall", exits.hypercall},
            {"fast", exits.fast},
            {"other", exits.other}};
}

Json machine_json(const lab::MachineResult& machine, vpmu::Architecture architecture,
                  const lab::Costs& costs) {
    Json json{{"name", machine.name},
              {"machines", machine.machines},
              {"policy", vpmu::traits_of(machine.policy).name}};
    json["events"] = events_json(machine.events);
    json["samples"] = machine.samples;
    const vpmu::Skid& skid = machine.skid;
    json["skid"] = skid.count == 0 ? Json()
                                   : Json{{"interrupts", skid.count},
                                          {"least", skid.least},
                                          {"most", skid.most},
                                          {"total", skid.total}};
    json["exits"] = exits_json(machine.exits);
    json["register_moves"] = machine.register_moves;
    json["migrations"] = machine.migrations;
    json["lost_ns"] = {{"pmu", costs.to_ns(machine.pmu_cycles)},
                       {"other_exits", costs.to_ns(machine.exit_cycles)}};
    json["threads"] = Json::array();
    for (const auto& thread : machine.threads)
        json["threads"].push_back(thread_json(thread, costs));
    json["accesses"] = accesses_json(architecture, machine.accesses);
    json["host_view"] = machine.host_view;
    return json;
}

}  // namespace

std::string lab_json(const lab::Scenario& scenario, const lab::SimulationResult& result,
                     const lab::Costs& costs) {
    Json json{{"schema", "ringside.lab/2"}, {"title", scenario.title}};
    json["machines"] = Json::array();
    for (const auto& machine : result.machines) {
        json["machines"].push_back(machine_json(machine, scenario.model.architecture, costs));
    }
    json["host"] = Json::array();
    for (const auto& host : result.host) {
        json["host"].push_back({{"event", to_string(host.event)},
                                {"placed", host.placed},
                                {"count", host.counted ? Json(host.count) : Json()}});
    }
    json["register_moves"] = result.register_moves;
    json["switches"] = result.switches;
    json["guest_ns"] = result.guest_ns();
    json["lost_ns"] = {{"pmu", costs.to_ns(result.pmu_cycles())},
                       {"other_exits", costs.to_ns(result.exit_cycles())}};
    return json.text();
}

}  // namespace ringside::report
