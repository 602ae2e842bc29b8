#include "report/time/time_view.h"

#include <fmt/format.h>

#include "report/amounts.h"

namespace ringside::report {

namespace {

using accounting::MachineTime;
using accounting::TimeReport;
using base::Json;
using Ns = std::optional<std::uint64_t>;

constexpr const char* off_cpu_reason =
    "threads wait and block, CPUs and cgroups do not: known of commands and processes";

struct NamedTime {
    const char* name;
    const char* title;
    Ns ns;
};

std::vector<NamedTime> parts_of(const MachineTime& time) {
    return {{"user_ns", "user", time.user_ns},
            {"kernel_ns", "kernel", time.kernel_ns},
            {"stolen_ns", "stolen by the hypervisor", time.stolen_ns},
            {"idle_ns", "idle", time.idle_ns},
            {"idle_io_ns", "idle, while something waited for I/O", time.idle_io_ns}};
}

double whole_ns(const MachineTime& time) {
    return static_cast<double>(time.wall_ns) * static_cast<double>(time.cpus);
}

std::string text_of(const MachineTime& time) {
    std::string text = fmt::format("{:12.6f} s           real, from start to end\n",
                                   seconds(static_cast<double>(time.wall_ns)));
    const auto line = [&](double ns, const char* title) {
        const double whole = whole_ns(time);
        const auto share = whole > 0 ? fmt::format("{:5.1f} %", 100 * ns / whole) : "       ";
        text += fmt::format("{:12.6f} s  {}  {}\n", seconds(ns), share, title);
    };
    if (time.cpus > 0) {
        const auto of = fmt::format("of {} CPU{}, together", time.cpus, time.cpus == 1 ? "" : "s");
        line(whole_ns(time), of.c_str());
    }
    for (const auto& [name, title, ns] : parts_of(time)) {
        if (ns) line(static_cast<double>(*ns), title);
    }
    if (const auto rest = time.unexplained_ns()) line(static_cast<double>(*rest), "unexplained");
    return text + fmt::format("{:>12}    by {}, in steps of {} ms\n", "", time.source,
                              static_cast<double>(time.step_ns) / 1e6);
}

std::vector<TimeValue> values_of(const MachineTime& time) {
    std::vector<TimeValue> values{{"wall_ns", time.wall_ns}};
    for (const auto& [name, title, ns] : parts_of(time)) values.push_back({name, ns});
    values.push_back({"waiting_ns", std::nullopt});
    values.push_back({"blocked_ns", std::nullopt});
    values.push_back({"unexplained_ns", time.unexplained_ns()});
    values.push_back({"cpus", time.cpus});
    return values;
}

Json sources_of(const MachineTime& time) {
    return {
        {"method", time.source},
        {"step_ns", time.step_ns},
        {"parts",
         {{"waiting", {{"reason", off_cpu_reason}}}, {"blocked", {{"reason", off_cpu_reason}}}}}};
}

std::string share_text(const char* title, const Ns& ns, double whole) {
    if (!ns) return fmt::format("{} ?", title);
    return fmt::format("{} {:.1f} %", title,
                       whole > 0 ? 100 * static_cast<double>(*ns) / whole : 0.0);
}

}  // namespace

std::string time_text(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    if (split == nullptr) return text_of(std::get<MachineTime>(time));
    std::string text = budget_text(*split);
    if (split->method == BudgetMethod::kernel_sums && !split->sleeping.ns) {
        text += fmt::format("{:>12}    --trace tells all parts apart, by BPF\n", "");
    }
    return text;
}

std::string time_line(const TimeReport& time) {
    if (const auto* split = std::get_if<TimeSplit>(&time)) {
        const auto whole = static_cast<double>(split->lifetime_ns);
        return fmt::format("{}, {}, {}, {}, {}", share_text("user", split->user.ns, whole),
                           share_text("kernel", split->kernel.ns, whole),
                           share_text("stolen", split->stolen.ns, whole),
                           share_text("waiting", split->waiting.ns, whole),
                           share_text("blocked", split->blocked.ns, whole));
    }
    const auto& machine = std::get<MachineTime>(time);
    const double whole = whole_ns(machine);
    return fmt::format("{}, {}, {}, {}", share_text("user", machine.user_ns, whole),
                       share_text("kernel", machine.kernel_ns, whole),
                       share_text("stolen", machine.stolen_ns, whole),
                       share_text("idle", machine.idle_ns, whole));
}

std::vector<TimeValue> time_values(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? budget_values(*split) : values_of(std::get<MachineTime>(time));
}

Json time_sources(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? budget_sources(*split) : sources_of(std::get<MachineTime>(time));
}

}  // namespace ringside::report
