#include "report/time/budget_report.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "report/amounts.h"

namespace ringside::report {

namespace {

using base::Json;
using run::executed_ns;
using run::NamedPart;
using run::occupied_ns;
using run::parts_of;

std::string share_text(double part_s, const TimeSplit& split) {
    if (split.lifetime_ns == 0) return "       ";
    return fmt::format("{:5.1f} %", 100 * part_s / seconds(split.lifetime_ns));
}

std::string remark(const TimePart& part) {
    std::string text;
    if (part.ns && part.error_ns > 0) text = fmt::format("+- {:.6f} s", seconds(part.error_ns));
    if (part.reason.empty()) return text.empty() ? text : " (" + text + ")";
    if (!part.ns) text = "not known";
    return " (" + text + (text.empty() ? "" : ": ") + part.reason + ")";
}

std::string part_line(const NamedPart& named, const TimeSplit& split) {
    const TimePart& part = named.part;
    if (!part.ns) {
        // What is in the rest is explained there, once for all.
        const bool in_rest = &part != &split.stolen;
        return fmt::format("           ? s           {}{}\n", named.title,
                           in_rest ? " (not known)" : remark(part));
    }
    return fmt::format("{:12.6f} s  {}  {}{}\n", seconds(*part.ns),
                       share_text(seconds(*part.ns), split), named.title, remark(part));
}

std::string rest_line(const TimeSplit& split) {
    const TimePart rest{0, split.error_ns, {}, split.unexplained_reason};
    const double rest_s = seconds(split.unexplained_ns);
    return fmt::format("{:12.6f} s  {}  unexplained{}\n", rest_s, share_text(rest_s, split),
                       remark(rest));
}

Json steal_of(const Steal& steal) {
    return {{"method", to_string(steal.method)},
            {"error_ns", steal.ns ? Json(steal.error_ns) : Json(nullptr)},
            {"reason", Json::text_or_null(steal.reason)}};
}

std::string csv_header() {
    return "wall_ns,cpu_ns,occupied_ns,stolen_ns,executed_ns,steal_error_ns,steal_method,"
           "lifetime_ns,threads,user_ns,kernel_ns,waiting_ns,blocked_ns,paging_ns,sleeping_ns,"
           "stopped_ns,unexplained_ns,error_ns,method";
}

std::string csv_row(const TimeSplit& split) {
    const auto field = [](const std::optional<std::uint64_t>& ns) {
        return ns ? std::to_string(*ns) : std::string();
    };
    const Steal& steal = split.clock.steal;
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", split.clock.real_ns,
        field(split.clock.cpu_ns), field(occupied_ns(split)), field(split.stolen.ns),
        field(executed_ns(split)), steal.ns ? std::to_string(steal.error_ns) : std::string(),
        to_string(steal.method), split.lifetime_ns, split.threads, field(split.user.ns),
        field(split.kernel.ns), field(split.waiting.ns), field(split.blocked.ns),
        field(split.paging.ns), field(split.sleeping.ns), field(split.stopped.ns),
        split.unexplained_ns, split.error_ns, to_string(split.method));
}

}  // namespace

std::string budget_text(const TimeSplit& split) {
    std::string text = fmt::format(
        "{:12.6f} s           real, from start to end\n"
        "{:12.6f} s  100.0 %  total lifetime of {} thread{}\n",
        seconds(split.clock.real_ns), seconds(split.lifetime_ns), split.threads,
        split.threads == 1 ? "" : "s");
    for (const NamedPart& named : parts_of(split)) {
        const bool stopped = &named.part == &split.stopped;
        if (stopped && named.part.ns.value_or(0) == 0) continue;  // hardly ever
        text += part_line(named, split);
    }
    return text + rest_line(split) + fmt::format("{:>12}    by {}\n", "", to_string(split.method));
}

std::string time_run_text(const TimeRun& run) {
    std::string text = "\n" + budget_text(run.split);
    if (run.exit_code) text += fmt::format("{:12}             exit code\n", *run.exit_code);
    return text;
}

std::string time_run_csv(const TimeRun& run) {
    return fmt::format("exit_code,{}\n{},{}\n", csv_header(),
                       run.exit_code ? std::to_string(*run.exit_code) : std::string(),
                       csv_row(run.split));
}

std::string time_run_json(const TimeRun& run) {
    Json json;
    json["schema"] = "ringside.time/1";
    json["command"] = run.command;
    json["exit_code"] = run.exit_code;
    json["time"] = values_json(budget_values(run.split));
    json["steal"] = steal_of(run.split.clock.steal);
    json["budget"] = budget_sources(run.split);
    return json.text();
}

}  // namespace ringside::report
