#include <fmt/format.h>

#include "report/amounts.h"
#include "report/lab/lab_report.h"

namespace ringside::report {

namespace {

std::string verdict(const lab::CountedEvent& event, const Style& style) {
    if (event.running_share < 1) {
        return style.warn(
            fmt::format("an estimate from {:.0f} % of the time", 100 * event.running_share));
    }
    if (event.counted == event.truth) return style.good("exact");
    if (event.starved) return style.bad("starved");
    if (event.counted > event.truth) return style.warn("with the VMM's work");
    return style.bad("lost");
}

std::string events_text(const std::vector<lab::CountedEvent>& events, const char* margin,
                        const Style& style) {
    std::string text;
    for (const auto& event : events) {
        text +=
            fmt::format("{}{:<15} {:>16} counted {:>16} true  {}\n", margin, to_string(event.event),
                        event.counted, event.truth, verdict(event, style));
    }
    return text;
}

double milliseconds(std::uint64_t cycles, const lab::Costs& costs) {
    return double(costs.to_ns(cycles)) / 1e6;
}

std::string thread_text(const lab::ThreadResult& thread, const lab::Costs& costs,
                        const Style& style) {
    if (thread.name.empty()) return "";
    std::string text = fmt::format("  thread {}: {:.3f} ms lost\n", thread.name,
                                   milliseconds(thread.lost_cycles, costs));
    text += events_text(thread.events, "    ", style);
    for (const auto& phase : thread.phases) {
        if (phase.samples != 0) {
            text += fmt::format("    {:>8} samples in {}\n", phase.samples, phase.name);
        }
    }
    return text;
}

std::string exits_text(const lab::Exits& exits) {
    return fmt::format(
        "  exits: {} PMU registers, {} RDPMC, {} PMU interrupts, {} hypercalls, {} fast, {} "
        "other\n",
        exits.pmu_register, exits.pmu_rdpmc, exits.pmu_interrupt, exits.hypercall, exits.fast,
        exits.other);
}

std::string machine_text(const lab::MachineResult& machine, const lab::Costs& costs,
                         const Style& style) {
    std::string text = style.strong(machine.name);
    if (machine.machines > 1) text += fmt::format(" x {}", machine.machines);
    text += fmt::format(" ({})\n", vpmu::traits_of(machine.policy).name);
    text += events_text(machine.events, "  ", style);
    if (machine.samples != 0) {
        text += fmt::format("  {} samples", machine.samples);
        if (machine.skid.count != 0) {
            text += fmt::format(", skid {} to {} events", machine.skid.least, machine.skid.most);
        }
        text += "\n";
    }
    text += exits_text(machine.exits);
    text +=
        fmt::format("  {} register moves; {:.3f} ms lost to the PMU, {:.3f} ms to other exits\n",
                    machine.register_moves, milliseconds(machine.pmu_cycles, costs),
                    milliseconds(machine.exit_cycles, costs));
    if (machine.migrations != 0) {
        text += fmt::format("  {} moves of a vCPU to another CPU\n", machine.migrations);
    }
    for (const auto& thread : machine.threads) text += thread_text(thread, costs, style);
    if (machine.host_view) {
        text += fmt::format("  the host sees {} {}\n", *machine.host_view,
                            to_string(machine.events[0].event));
    }
    return text;
}

}  // namespace

std::string lab_text(const lab::Scenario& scenario, const lab::SimulationResult& result,
                     const lab::Costs& costs, const Style& style) {
    std::string text = scenario.title + "\n";
    for (const auto& machine : result.machines) text += machine_text(machine, costs, style);
    for (const auto& host : result.host) {
        const std::string count = !host.placed   ? style.bad("error: no counter for it")
                                  : host.counted ? std::to_string(host.count)
                                                 : style.warn("not counted");
        text += fmt::format("host {:<15} {}\n", to_string(host.event), count);
    }
    text += fmt::format(
        "{} register moves, {} vCPU switches; the PMU costs {:.2f} % of the guests' time, other "
        "exits {:.2f} % (costs: data/lab/costs.csv)\n",
        result.register_moves, result.switches,
        percent(costs.to_ns(result.pmu_cycles()), result.guest_ns()),
        percent(costs.to_ns(result.exit_cycles()), result.guest_ns()));
    return text;
}

}  // namespace ringside::report
