#include "report/soft/soft_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/amounts.h"
#include "soft/events.h"

namespace ringside::report {

namespace {

using base::Json;

}  // namespace

std::string soft_json(const std::string& path, const soft::CountFile& file) {
    Json json = {{"schema", "ringside.soft/1"}, {"file", path},
                 {"pid", file.extension().pid}, {"counting", !file.is_off()},
                 {"events", Json::array()},     {"devices", Json::array()}};
    for (const auto& event : soft::all_events()) {
        const bool counts = file.counts(event.counter);
        json["events"].push_back(
            {{"name", event.name},
             {"value", counts ? Json(file.total(event.counter)) : Json()},
             {"vcpus", counts ? Json(file.of_vcpus(event.counter)) : Json()},
             {"reason", counts ? Json() : Json("the plugin was not asked to count it")},
             {"soft", true}});
    }
    for (const auto& device : file.devices()) {
        json["devices"].push_back(
            {{"name", device.name}, {"reads", device.reads}, {"writes", device.writes}});
    }
    return json.text();
}

std::string soft_text(const std::string& path, const soft::CountFile& file, bool per_cpu) {
    std::string text =
        fmt::format("{}: of process {}, {}\n", path, file.extension().pid,
                    file.is_off() ? "switched off: nothing is counted now" : "counting");
    for (const auto& event : soft::all_events()) {
        if (!file.counts(event.counter)) continue;
        text +=
            fmt::format("{:>20}  {} (soft)\n", count_text(file.total(event.counter)), event.name);
        const auto vcpus = per_cpu ? file.of_vcpus(event.counter) : std::vector<std::uint64_t>();
        for (std::size_t i = 0; i < vcpus.size(); ++i) {
            text += fmt::format("{:>20}    on vCPU {}\n", count_text(vcpus[i]), i);
        }
    }
    for (const auto& device : file.devices()) {
        text += fmt::format("{:>20}  reads of and {} writes to {}\n", count_text(device.reads),
                            count_text(device.writes), device.name);
    }
    return text;
}

}  // namespace ringside::report
