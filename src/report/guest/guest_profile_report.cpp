#include "report/guest/guest_profile_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/amounts.h"
#include "report/record/record_report.h"

namespace ringside::report {

namespace {

using base::Json;
using soft::DeviceCost;

// A median of nothing is not 0.
std::string median_text(const DeviceCost& cost) {
    return cost.timed == 0 ? "?" : time_text(cost.median_ns);
}

std::string cost_table(const std::vector<DeviceCost>& costs, std::size_t most) {
    std::string text = fmt::format("{:>12} {:>12} {:>9} {:>10} {:>10}  device{}\n", "accesses",
                                   "timed", "off CPU", "median", "total",
                                   costs.empty() || costs[0].function.empty() ? "" : ", function");
    std::size_t shown = 0;
    for (const auto& cost : costs) {
        if (shown++ == most) break;
        text += fmt::format("{:>12} {:>12} {:>9} {:>10} {:>10}  {}{}{}\n", count_text(cost.count()),
                            count_text(cost.timed), count_text(cost.off_cpu), median_text(cost),
                            time_text(cost.total_ns), cost.device,
                            cost.function.empty() ? "" : ", ", cost.function);
    }
    return text;
}

Json costs_json(const std::vector<DeviceCost>& costs) {
    Json list = Json::array();
    for (const auto& cost : costs) {
        Json entry = {{"device", cost.device}};
        if (!cost.function.empty()) entry["function"] = cost.function;
        entry["reads"] = cost.reads;
        entry["writes"] = cost.writes;
        entry["timed"] = cost.timed;
        entry["off_cpu"] = cost.off_cpu;
        entry["total_ns"] = cost.total_ns;
        entry["median_ns"] = cost.timed == 0 ? Json(nullptr) : Json(cost.median_ns);
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

std::string domain_unit(const soft::HostRate& rate) {
    return fmt::format(
        "instructions of the guest (soft), and {:.3f} for each ns that QEMU took for its accesses "
        "to devices ({})",
        rate.per_ns,
        rate.measured ? "measured: what QEMU's threads executed a ns in this run"
                      : "assumed: one for each tick of this machine's clock; it has no PMU to ask");
}

std::string guest_profile_text(const GuestProfileSummary& summary) {
    std::string text = record_text(summary.recorded, summary.file);
    text += fmt::format("  a sample every {} instructions of {} that were executed\n",
                        count_text(summary.period), count_text(summary.instructions));
    text += fmt::format("  domain switch: {}\n", domain_unit(summary.rate));
    for (const auto& note : summary.notes) text += fmt::format("  {}\n", note);
    constexpr std::size_t most_devices = 12;
    constexpr std::size_t most_functions = 20;
    text += "\n" + cost_table(summary.devices, most_devices);
    text += "\n" + cost_table(summary.functions, most_functions);
    return text;
}

std::string guest_profile_json(const GuestProfileSummary& summary) {
    const auto& tally = summary.recorded.progress.tally;
    const Json json = {{"schema", "ringside.guest-profile/1"},
                       {"file", summary.file},
                       {"soft", true},
                       {"period", summary.period},
                       {"samples", tally.samples},
                       {"lost", tally.lost},
                       {"instructions", summary.instructions},
                       {"instructions_per_ns", summary.rate.per_ns},
                       {"instructions_per_ns_measured", summary.rate.measured},
                       {"domain_unit", domain_unit(summary.rate)},
                       {"devices", costs_json(summary.devices)},
                       {"functions", costs_json(summary.functions)},
                       {"notes", summary.notes}};
    return json.text();
}

}  // namespace ringside::report
