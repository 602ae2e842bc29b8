#include <fmt/format.h>

#include "report/lab/lab_report.h"

namespace ringside::report {

std::string lab_sweep_text(const lab::SweepResult& sweep, const lab::Costs& costs) {
    std::string text = "what the PMU costs, in % of the guests' time\n";
    text += fmt::format("{:<10}", "exits/ms");
    for (const auto& way : sweep.ways) text += fmt::format(" {:>14}", way.name);
    text += "\n";
    for (std::size_t i = 0; i < lab::swept_rates.size(); ++i) {
        text += fmt::format("{:<10}", lab::swept_rates[i]);
        for (const auto& way : sweep.ways) text += fmt::format(" {:>14.2f}", way.cost_percent[i]);
        text += "\n";
    }
    for (std::size_t i = 1; i < sweep.ways.size(); ++i) {
        const auto& way = sweep.ways[i];
        text += way.break_even ? fmt::format("{} costs more than legacy from {} exits/ms on\n",
                                             way.name, *way.break_even)
                               : fmt::format("{} costs no more than legacy up to {} exits/ms\n",
                                             way.name, lab::most_exits_per_ms);
    }
    text += fmt::format(
        "hardware: mediated, with {} cycles for the state at every entry and exit instead of {} "
        "for each register (costs and their sources: data/lab/costs.csv)\n",
        costs.hardware_switch_cycles, costs.register_move_cycles);
    return text;
}

}  // namespace ringside::report
