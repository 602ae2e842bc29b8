#include "cli/time_budget_text.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_text.h"

namespace ringside::cli {

namespace {

using Json = nlohmann::ordered_json;

struct NamedPart {
    const char* name;
    const char* title;
    const TimePart& part;
};

std::vector<NamedPart> parts_of(const TimeSplit& split) {
    return {{"user", "user", split.user},
            {"kernel", "kernel", split.kernel},
            {"stolen", "stolen by the hypervisor", split.stolen},
            {"waiting", "waiting for a CPU", split.waiting},
            {"blocked", "blocked, on I/O or in the kernel", split.blocked},
            {"paging", "blocked in page faults", split.paging},
            {"sleeping", "sleeping by choice", split.sleeping},
            {"stopped", "stopped", split.stopped}};
}

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

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

std::optional<std::uint64_t> executed_ns(const TimeSplit& split) {
    if (!split.user.ns || !split.kernel.ns) return split.clock.compensated_ns;
    return *split.user.ns + *split.kernel.ns;
}

std::optional<std::uint64_t> occupied_ns(const TimeSplit& split) {
    const auto executed = executed_ns(split);
    if (!executed || !split.stolen.ns) return split.clock.occupied_ns;
    return *executed + *split.stolen.ns;
}

Json value_or_null(const std::optional<std::uint64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json source_of(const TimePart& part) {
    return {{"source", text_or_null(part.source)},
            {"error_ns", part.ns ? Json(part.error_ns) : Json(nullptr)},
            {"reason", text_or_null(part.reason)}};
}

Json detail_of(const TimePart& part) {
    Json json = {{"ns", value_or_null(part.ns)}};
    json.update(source_of(part));
    return json;
}

}  // namespace

std::string budget_text(const TimeSplit& split) {
    std::string text = fmt::format(
        "{:12.6f} s           real, from start to end\n"
        "{:12.6f} s  100.0 %  lived by {} thread{}, together\n",
        seconds(split.clock.real_ns), seconds(split.lifetime_ns), split.threads,
        split.threads == 1 ? "" : "s");
    for (const NamedPart& named : parts_of(split)) {
        const bool stopped = &named.part == &split.stopped;
        if (stopped && named.part.ns.value_or(0) == 0) continue;  // hardly ever
        text += part_line(named, split);
    }
    return text + rest_line(split) + fmt::format("{:>12}    by {}\n", "", to_string(split.method));
}

Json budget_times(const TimeSplit& split) {
    Json json = {{"wall_ns", split.clock.real_ns},
                 {"lifetime_ns", split.lifetime_ns},
                 {"threads", split.threads}};
    for (const NamedPart& named : parts_of(split)) {
        json[std::string(named.name) + "_ns"] = value_or_null(named.part.ns);
    }
    json["unexplained_ns"] = split.unexplained_ns;
    json["cpu_ns"] = value_or_null(split.clock.cpu_ns);
    json["occupied_ns"] = value_or_null(occupied_ns(split));
    json["executed_ns"] = value_or_null(executed_ns(split));
    json["blocked_on_io_ns"] = value_or_null(split.blocked_on_io_ns);
    return json;
}

Json budget_sources(const TimeSplit& split) {
    Json json = {{"method", to_string(split.method)}};
    for (const NamedPart& named : parts_of(split)) {
        json["parts"][named.name] = source_of(named.part);
    }
    json["unexplained"] = {{"error_ns", split.error_ns},
                           {"reason", text_or_null(split.unexplained_reason)}};
    const PagingDetails& details = split.details;
    json["paging"] = {{"minor_faults", value_or_null(details.minor_faults)},
                      {"major_faults", value_or_null(details.major_faults)},
                      {"fault_cpu", detail_of(details.fault_cpu)},
                      {"swapin", detail_of(details.swapin)},
                      {"thrashing", detail_of(details.thrashing)},
                      {"reclaim", detail_of(details.reclaim)},
                      {"compaction", detail_of(details.compaction)},
                      {"write_protect_copy", detail_of(details.write_protect_copy)}};
    return json;
}

std::string budget_csv_header() {
    return "wall_ns,cpu_ns,occupied_ns,stolen_ns,executed_ns,steal_error_ns,steal_method,"
           "lifetime_ns,threads,user_ns,kernel_ns,waiting_ns,blocked_ns,paging_ns,sleeping_ns,"
           "stopped_ns,unexplained_ns,error_ns,method";
}

std::string budget_csv_row(const TimeSplit& split) {
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

}  // namespace ringside::cli
