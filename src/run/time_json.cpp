#include "run/time_json.h"

namespace ringside::run {

namespace {

using base::Json;

Json source_of(const TimePart& part) {
    return {{"source", Json::text_or_null(part.source)},
            {"error_ns", part.ns ? Json(part.error_ns) : Json(nullptr)},
            {"reason", Json::text_or_null(part.reason)}};
}

Json detail_of(const TimePart& part) {
    Json json = {{"ns", part.ns}};
    json.update(source_of(part));
    return json;
}

}  // namespace

std::vector<NamedPart> parts_of(const TimeSplit& split) {
    return {{"user", "user", split.user},
            {"kernel", "kernel", split.kernel},
            {"stolen", "stolen by the hypervisor", split.stolen},
            {"waiting", "waiting for a CPU", split.waiting},
            {"blocked", "blocked, on I/O or in the kernel", split.blocked},
            {"paging", "blocked in page faults", split.paging},
            {"sleeping", "voluntary sleep", split.sleeping},
            {"stopped", "stopped", split.stopped}};
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

std::vector<TimeValue> budget_values(const TimeSplit& split) {
    std::vector<TimeValue> values{{"wall_ns", split.clock.real_ns},
                                  {"lifetime_ns", split.lifetime_ns},
                                  {"threads", split.threads}};
    for (const NamedPart& named : parts_of(split)) {
        values.push_back({std::string(named.name) + "_ns", named.part.ns});
    }
    values.push_back({"unexplained_ns", split.unexplained_ns});
    values.push_back({"cpu_ns", split.clock.cpu_ns});
    values.push_back({"occupied_ns", occupied_ns(split)});
    values.push_back({"executed_ns", executed_ns(split)});
    values.push_back({"blocked_on_io_ns", split.blocked_on_io_ns});
    return values;
}

Json values_json(const std::vector<TimeValue>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = value;
    return json;
}

Json budget_sources(const TimeSplit& split) {
    Json json = {{"method", to_string(split.method)}};
    for (const NamedPart& named : parts_of(split)) {
        json["parts"][named.name] = source_of(named.part);
    }
    json["unexplained"] = {{"error_ns", split.error_ns},
                           {"reason", Json::text_or_null(split.unexplained_reason)}};
    const PagingDetails& details = split.details;
    json["paging"] = {{"minor_faults", details.minor_faults},
                      {"major_faults", details.major_faults},
                      {"fault_cpu", detail_of(details.fault_cpu)},
                      {"swapin", detail_of(details.swapin)},
                      {"thrashing", detail_of(details.thrashing)},
                      {"reclaim", detail_of(details.reclaim)},
                      {"compaction", detail_of(details.compaction)},
                      {"write_protect_copy", detail_of(details.write_protect_copy)}};
    return json;
}

}  // namespace ringside::run
