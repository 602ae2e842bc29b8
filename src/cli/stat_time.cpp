#include "cli/stat_time.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/time_sums.h"
#include "base/assert.h"
#include "cli/time_budget_text.h"

namespace ringside::cli {

namespace {

using accounting::MachineTime;
using Json = nlohmann::ordered_json;
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

double seconds(double ns) {
    return ns / 1e9;
}

Json or_null(const Ns& ns) {
    return ns ? Json(*ns) : Json(nullptr);
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

Json json_of(const MachineTime& time) {
    Json json = {{"wall_ns", time.wall_ns}};
    for (const auto& [name, title, ns] : parts_of(time)) json[name] = or_null(ns);
    json["waiting_ns"] = nullptr;
    json["blocked_ns"] = nullptr;
    const auto rest = time.unexplained_ns();
    json["unexplained_ns"] = rest ? Json(*rest) : Json(nullptr);
    json["cpus"] = time.cpus;
    return json;
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

TimeReport difference(const TimeReport& earlier, const TimeReport& later) {
    if (const auto* split = std::get_if<TimeSplit>(&later)) {
        return analysis::between(std::get<TimeSplit>(earlier), *split);
    }
    return accounting::between(std::get<MachineTime>(earlier), std::get<MachineTime>(later));
}

MachineTime average_machine(std::span<const TimeReport> runs) {
    MachineTime mean = std::get<MachineTime>(runs.front());
    const auto each = [&](auto member) {
        for (const auto& run : runs.subspan(1)) {
            const auto& more = std::get<MachineTime>(run).*member;
            auto& sum = mean.*member;
            if (sum && more) *sum += *more;
        }
        if (mean.*member) *(mean.*member) /= runs.size();
    };
    for (const auto member :
         {&MachineTime::user_ns, &MachineTime::kernel_ns, &MachineTime::stolen_ns,
          &MachineTime::idle_ns, &MachineTime::idle_io_ns}) {
        each(member);
    }
    for (const auto& run : runs.subspan(1)) mean.wall_ns += std::get<MachineTime>(run).wall_ns;
    mean.wall_ns /= runs.size();
    return mean;
}

Result<TimeBudget> open_budget(const TimeBudgets& budgets, const Target& target) {
    if (target.kind == Target::Kind::thread) return budgets.thread(target.id);
    return budgets.process(target.id, Follow::children);
}

}  // namespace

Result<TimeKeeper> TimeKeeper::open(std::span<const Target> targets, bool trace) {
    RINGSIDE_ASSERT(!targets.empty());
    TimeKeeper keeper;
    const Target& first = targets.front();
    if (first.kind == Target::Kind::thread || first.kind == Target::Kind::process) {
        BudgetOptions options;
        options.quick = !trace;
        const TimeBudgets budgets = TimeBudgets::open(options);
        for (const Target& target : targets) {
            auto budget = open_budget(budgets, target);
            if (!budget) return budget.error();
            keeper.budgets_.push_back(std::move(*budget));
        }
        return keeper;
    }
    auto meter = first.kind == Target::Kind::cgroup
                     ? accounting::make_cgroup_time_meter({}, first.cgroup)
                     : accounting::make_cpu_time_meter({}, first.cpus);
    if (!meter) return meter.error();
    keeper.meter_ = std::move(*meter);
    return keeper;
}

Result<TimeReport> TimeKeeper::read() {
    if (meter_) {
        auto time = meter_->read();
        return time ? Result<TimeReport>(TimeReport(std::move(*time))) : time.error();
    }
    std::vector<TimeSplit> splits;
    splits.reserve(budgets_.size());
    for (const TimeBudget& budget : budgets_) splits.push_back(budget.read());
    return TimeReport(analysis::together(splits));
}

Result<TimeReport> TimeKeeper::read_interval() {
    auto now = read();
    if (!now) return now;
    auto interval = now;
    if (last_) *interval = difference(*last_, *now);
    last_ = std::move(*now);
    return interval;
}

std::uint64_t wall_ns(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? split->clock.real_ns : std::get<MachineTime>(time).wall_ns;
}

TimeReport average(std::span<const TimeReport> runs) {
    if (std::holds_alternative<MachineTime>(runs.front())) return average_machine(runs);
    std::vector<TimeSplit> splits;
    splits.reserve(runs.size());
    for (const TimeReport& run : runs) splits.push_back(std::get<TimeSplit>(run));
    return analysis::average(splits);
}

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

Json time_json(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? budget_times(*split) : json_of(std::get<MachineTime>(time));
}

Json time_sources(const TimeReport& time) {
    const auto* split = std::get_if<TimeSplit>(&time);
    return split != nullptr ? budget_sources(*split) : sources_of(std::get<MachineTime>(time));
}

}  // namespace ringside::cli
