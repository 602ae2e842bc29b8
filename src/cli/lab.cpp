// ringside lab: play scenarios of sharing a PMU, and compare what guests count with the truth.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/error.h"
#include "base/sys_root.h"
#include "cli/output.h"
#include "cli/style.h"
#include "cli/verbs.h"
#include "lab/simulation.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* scenarios[] = {"alone-legacy", "conflict-legacy", "conflict-mediated",
                                     "common-mix",   "switching",       "fleet",
                                     "shared-view"};

Result<lab::Scenario> load_scenario(const std::string& name) {
    if (const auto text = base::embedded_file("lab/" + name + ".toml")) {
        return lab::parse_scenario(*text, name + ".toml");
    }
    const auto text = base::SysRoot().read(name);
    if (!text) {
        Error error = text.error();
        error.hint = "ringside lab list names the scenarios that come along";
        return error;
    }
    return lab::parse_scenario(*text, name);
}

bool choose_policy(lab::Scenario& scenario, const std::string& name) {
    for (unsigned i = 0; i < vpmu::policy_count; ++i) {
        const auto policy = static_cast<vpmu::Policy>(i);
        if (name != vpmu::policies[i].name || policy == vpmu::Policy::paravirtual) continue;
        for (auto& machine : scenario.machines) machine.policy = policy;
        return true;
    }
    return false;
}

double percent_lost(const lab::SimulationResult& result) {
    if (result.cycles == 0) return 0;
    return 100.0 * double(result.cycles_lost) / double(result.cycles);
}

std::string machine_text(const lab::MachineResult& machine, const Style& style) {
    const auto& exits = machine.exits;
    std::string text = fmt::format(
        "{} ({}): exits {} for PMU accesses, {} for PMU interrupts, {} fast, {} other\n",
        style.strong(machine.name), vpmu::traits_of(machine.policy).name, exits.pmu_access,
        exits.pmu_interrupt, exits.fast, exits.other);
    for (const auto& event : machine.events) {
        const std::string verdict = event.counted == event.truth ? style.good("exact")
                                    : event.starved              ? style.bad("starved")
                                    : event.counted > event.truth
                                        ? style.warn("with the VMM's work")
                                        : style.bad("lost");
        text += fmt::format("  {:<14} {:>16} counted {:>16} true  {}\n", to_string(event.event),
                            event.counted, event.truth, verdict);
    }
    if (machine.samples != 0) text += fmt::format("  {} samples\n", machine.samples);
    if (machine.host_view) {
        text += fmt::format("  the host sees {} {}\n", *machine.host_view,
                            to_string(machine.events[0].event));
    }
    return text;
}

std::string result_text(const lab::Scenario& scenario, const lab::SimulationResult& result,
                        const Style& style) {
    std::string text = scenario.title + "\n";
    for (const auto& machine : result.machines) text += machine_text(machine, style);
    for (const auto& host : result.host) {
        const std::string count = !host.placed   ? style.bad("error: no counter for it")
                                  : host.counted ? std::to_string(host.count)
                                                 : style.warn("not counted");
        text += fmt::format("host {:<14} {}\n", to_string(host.event), count);
    }
    text += fmt::format(
        "{} register moves, {} vCPU switches; exits and moves cost {:.2f} % of the "
        "guests' cycles (costs: data/lab/costs.csv)\n",
        result.register_moves, result.switches, percent_lost(result));
    return text;
}

Json machine_json(const lab::MachineResult& machine) {
    Json json{{"name", machine.name}, {"policy", vpmu::traits_of(machine.policy).name}};
    json["exits"] = {{"pmu_access", machine.exits.pmu_access},
                     {"pmu_interrupt", machine.exits.pmu_interrupt},
                     {"fast", machine.exits.fast},
                     {"other", machine.exits.other}};
    json["events"] = Json::array();
    for (const auto& event : machine.events) {
        json["events"].push_back({{"event", to_string(event.event)},
                                  {"counted", event.counted},
                                  {"truth", event.truth},
                                  {"starved", event.starved}});
    }
    json["samples"] = machine.samples;
    json["host_view"] = machine.host_view ? Json(*machine.host_view) : Json();
    return json;
}

std::string result_json(const lab::Scenario& scenario, const lab::SimulationResult& result) {
    Json json{{"schema", "ringside.lab/1"}, {"title", scenario.title}};
    json["machines"] = Json::array();
    for (const auto& machine : result.machines) json["machines"].push_back(machine_json(machine));
    json["host"] = Json::array();
    for (const auto& host : result.host) {
        json["host"].push_back({{"event", to_string(host.event)},
                                {"placed", host.placed},
                                {"count", host.counted ? Json(host.count) : Json()}});
    }
    json["register_moves"] = result.register_moves;
    json["switches"] = result.switches;
    json["cycles_lost"] = result.cycles_lost;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class LabList : public Verb {
  public:
    std::string name() const override { return "lab list"; }
    std::string summary() const override { return "the scenarios that come along"; }
    std::string examples() const override { return "  ringside lab list\n"; }
    void declare(Options&) override {}
    Outcome run() override {
        for (const char* name : scenarios) {
            const auto scenario = load_scenario(name);
            if (!scenario) return scenario.error();
            fmt::print("{:<20} {}\n", name, scenario->title);
        }
        return 0;
    }
};

class LabRun : public Verb {
  public:
    std::string name() const override { return "lab run"; }
    std::string summary() const override { return "play a scenario: counts beside the truth"; }
    std::string examples() const override {
        return "  ringside lab run conflict-legacy                     the guest's silent zeros\n"
               "  ringside lab run common-mix --policy lazy_mediated   every machine under one "
               "policy\n"
               "  ringside lab run mine.toml --json                    a scenario of your own\n";
    }
    void declare(Options& options) override {
        options.text("--policy", "P", policy_, "put every machine under this policy");
        declare_output(options, output_, false);
        options.operand("SCENARIO", scenario_, "a name of `lab list`, or a TOML file", true);
    }
    Outcome run() override {
        auto scenario = load_scenario(scenario_);
        if (!scenario) return scenario.error();
        if (!policy_.empty() && !choose_policy(*scenario, policy_)) {
            return base::fail(ErrorCode::bad_input, "unknown policy: " + policy_,
                              "legacy, cpu_switch, domain_switch, mediated, lazy_mediated or "
                              "shared_view");
        }
        const auto result = lab::simulate(*scenario, lab::read_costs());
        const auto delivered =
            deliver(output_, output_.json ? result_json(*scenario, result)
                                          : result_text(*scenario, result, Style(stdout)));
        if (!delivered) return delivered.error();
        return 0;
    }

  private:
    std::string scenario_;
    std::string policy_;
    OutputChoice output_;
};

// At which exit rate does a policy cost more than it saves? The same scenario with every machine's
// exits_per_ms multiplied, under each policy that keeps counts exact.
class LabSweep : public Verb {
  public:
    std::string name() const override { return "lab sweep"; }
    std::string summary() const override { return "cost of each policy over the exit rate"; }
    std::string examples() const override {
        return "  ringside lab sweep common-mix      % of the guests' cycles, by exits per ms\n";
    }
    void declare(Options& options) override {
        options.operand("SCENARIO", scenario_, "a name of `lab list`, or a TOML file", true);
    }
    Outcome run() override {
        const auto scenario = load_scenario(scenario_);
        if (!scenario) return scenario.error();
        const vpmu::Policy compared[] = {vpmu::Policy::legacy, vpmu::Policy::mediated,
                                         vpmu::Policy::lazy_mediated};
        fmt::print("{:<12}", "exits/ms");
        for (const auto policy : compared) fmt::print(" {:>14}", vpmu::traits_of(policy).name);
        fmt::print("\n");
        for (const unsigned rate : {1u, 3u, 10u, 30u, 100u, 300u}) {
            fmt::print("{:<12}", rate);
            for (const auto policy : compared) {
                fmt::print(" {:>12.2f} %", percent_lost(play(*scenario, policy, rate)));
            }
            fmt::print("\n");
        }
        return 0;
    }

  private:
    static lab::SimulationResult play(lab::Scenario scenario, vpmu::Policy policy, unsigned rate) {
        for (auto& machine : scenario.machines) {
            machine.policy = policy;
            machine.exits_per_ms = rate;
        }
        return lab::simulate(scenario, lab::read_costs());
    }

    std::string scenario_;
};

}  // namespace

void add_lab_verbs(Verbs& verbs) {
    verbs.push_back(std::make_unique<LabList>());
    verbs.push_back(std::make_unique<LabRun>());
    verbs.push_back(std::make_unique<LabSweep>());
}

}  // namespace ringside::cli
