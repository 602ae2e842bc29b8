
#include "base/json.h"
#include "report/merge/merge_report.h"

namespace ringside::report {

namespace {

using base::Json;
using merge::Doing;

Json agreement_json(const merge::Agreement& agreement) {
    return {{"inside", agreement.inside},
            {"contradicting", agreement.outside},
            {"beyond_host", agreement.beyond}};
}

Json vcpu_json(const merge::MergeReport& report, const merge::VcpuReport& vcpu) {
    Json json{{"guest_cpu", vcpu.guest_cpu},
              {"vcpu", vcpu.vcpu},
              {"tid", vcpu.tid},
              {"exits", vcpu.exits}};
    json["samples"] = agreement_json(vcpu.agreement);
    for (std::size_t i = 0; i < merge::doing_count; ++i) {
        const auto doing = static_cast<Doing>(i);
        const std::string name(to_string(doing));
        json["host"][name + "_ns"] = is_seen(report, doing) ? Json(vcpu.host_ns[i]) : Json();
    }
    json["guest"] = {{"stolen_ns", vcpu.guest_stolen_ns}};
    return json;
}

Json guest_json(const merge::MergeReport& report, const merge::GuestReport& guest) {
    Json json{{"name", guest.name}, {"file", guest.file}, {"vmm_pid", guest.pid}};
    json["clock"] = {{"source", to_string(guest.source)},
                     {"offset_ns", guest.offset_ns},
                     {"drift_ppm", guest.drift_ppm},
                     {"uncertainty_ns", guest.uncertainty_ns}};
    json["samples"] = agreement_json(guest.agreement);
    json["vcpus_matched_by_runs"] = guest.vcpus_matched;
    json["host_first_ns"] = guest.host_time.from_ns;
    json["host_last_ns"] = guest.host_time.to_ns;
    json["vcpus"] = Json::array();
    for (const auto& vcpu : guest.vcpus) json["vcpus"].push_back(vcpu_json(report, vcpu));
    return json;
}

}  // namespace

std::string merge_json(const merge::MergeReport& report) {
    Json json{{"schema", "ringside.merge/1"}};
    json["host"] = {{"file", report.host_file},
                    {"first_ns", report.host_first_ns},
                    {"last_ns", report.host_last_ns},
                    {"lost", report.host_lost}};
    json["guests"] = Json::array();
    for (const auto& guest : report.guests) json["guests"].push_back(guest_json(report, guest));
    json["output"] = report.output.empty()
                         ? Json()
                         : Json{{"file", report.output},
                                {"host_samples", report.host_samples},
                                {"guest_samples", report.guest_samples},
                                {"replaced_host_samples", report.replaced_samples}};
    json["warnings"] = report.warnings;
    return json.text();
}

}  // namespace ringside::report
