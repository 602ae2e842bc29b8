
#include "base/json.h"
#include "report/doctor/doctor_report.h"

namespace ringside::report {

namespace {

using base::Json;
using platform::Evidence;
using platform::Fact;
using platform::Machine;

std::string reason_of(const Evidence& evidence) {
    return evidence.source.empty() ? evidence.text : evidence.source + ": " + evidence.text;
}

// The value or null, and beside it what that rests on.
template <typename T>
void put(Json& object, const std::string& key, const Fact<T>& fact) {
    object[key] = fact.value;
    object[key + "_reason"] = reason_of(fact.evidence);
}

Json state_or_null(const std::optional<CounterState>& state) {
    return state ? Json(to_string(*state)) : Json(nullptr);
}

Json evidence_json(const std::vector<Evidence>& all) {
    Json list = Json::array();
    for (const auto& each : all) {
        list.push_back({{"source", each.source}, {"text", each.text}, {"weak", each.weak}});
    }
    return list;
}

Json tests_json(const std::vector<trust::SelfTest>& tests) {
    Json list = Json::array();
    for (const auto& test : tests) {
        list.push_back(
            {{"name", test.name}, {"state", state_or_null(test.state)}, {"detail", test.detail}});
    }
    return list;
}

Json cpu_json(const platform::CpuModel& cpu) {
    Json json;
    json["arch"] = cpu.arch == platform::Arch::arm64 ? "arm64"
                   : cpu.arch == platform::Arch::x86 ? "x86"
                                                     : "other";
    put(json, "vendor", cpu.vendor);
    put(json, "name", cpu.name);
    return json;
}

Json topology_json(const platform::Topology& topology) {
    Json json;
    put(json, "sockets", topology.sockets);
    put(json, "cores", topology.cores);
    put(json, "threads", topology.threads);
    put(json, "numa_nodes", topology.numa_nodes);
    return json;
}

Json machine_json(const trust::Report& report) {
    const Machine& machine = report.machine;
    Json json;
    json["hypervisor"] = machine.hypervisor.name;
    json["vmm"] = machine.hypervisor.vmm;
    json["mode"] = Json::text_or_null(machine.hypervisor.mode);
    json["pmu_policy"] = Json::text_or_null(machine.hypervisor.pmu_policy);
    put(json, "virtualized", machine.hypervisor.virtualized);
    json["also_named"] = machine.hypervisor.also_named;
    json["hypervisor_evidence"] = evidence_json(machine.hypervisor.evidence);
    json["container"] = machine.container.runtime;
    json["container_evidence"] = evidence_json(machine.container.evidence);
    json["layers"] = Json::array();
    for (const auto& layer : machine.layers) {
        json["layers"].push_back(
            {{"kind", layer.kind}, {"name", layer.name}, {"detail", layer.detail}});
    }
    json["kvm_host"] = report.kvm.usable;
    json["kvm_host_reason"] = report.kvm.reason;
    put(json, "kernel", machine.kernel_release);
    json["cpu"] = cpu_json(machine.cpu);
    json["topology"] = topology_json(machine.topology);
    return json;
}

Json kvm_json(const trust::Report& report) {
    Json json;
    json["usable"] = report.kvm.usable;
    json["usable_reason"] = report.kvm.reason;
    json["api_version"] = report.kvm.api_version;
    json["max_vcpus"] = report.kvm.max_vcpus;
    json["guest_pmu"] = report.kvm.guest_pmu;
    json["guest_pmu_reason"] = report.kvm.guest_pmu_reason;
    put(json, "backend", report.machine.kvm_host.backend);
    put(json, "vpmu", report.machine.kvm_host.vpmu);
    put(json, "mediated_pmu", report.machine.kvm_host.mediated_pmu);
    put(json, "nested", report.machine.kvm_host.nested);
    return json;
}

Json clock_json(const platform::ClockSource& clock, const trust::TimeReport& time) {
    Json json;
    put(json, "source", clock.current);
    json["available"] = clock.available;
    put(json, "tsc_invariant", clock.tsc_invariant);
    put(json, "pvclock", clock.pvclock);
    put(json, "counter_hz", clock.counter_hz);
    put(json, "cpu_hz", clock.cpu_hz);
    json["cycles_per_second"] = time.cycles_per_second;
    json["cycles_per_second_reason"] = time.cycles_reason;
    json["guest_ahead_of_host_ns"] = time.guest_ahead_ns;
    json["guest_ahead_of_host_ns_reason"] = time.host_time_reason;
    json["ptp"] = Json::array();
    for (const auto& ptp : clock.ptp) {
        json["ptp"].push_back(
            {{"device", ptp.device}, {"name", ptp.name}, {"of_host", ptp.of_host}});
    }
    return json;
}

Json permissions_json(const platform::Permissions& permissions) {
    Json json;
    put(json, "perf_event_paranoid", permissions.perf_event_paranoid);
    put(json, "perf_user_access", permissions.perf_user_access);
    put(json, "seccomp_mode", permissions.seccomp_mode);
    put(json, "effective_uid", permissions.effective_uid);
    json["privileged_for_perf"] = permissions.privileged_for_perf();
    return json;
}

Json slots_json(const std::vector<trust::SlotVerdict>& slots) {
    Json list = Json::array();
    for (const auto& slot : slots) {
        list.push_back({{"slot", slot.slot},
                        {"event", slot.event},
                        {"state", to_string(slot.state)},
                        {"detail", slot.detail},
                        {"count", slot.count}});
    }
    return list;
}

Json watch_json(const trust::WatchReport& watch) {
    Json json;
    json["watched_ns"] = watch.watched_ns;
    json["reason"] = watch.reason;
    json["slices"] = watch.slices;
    json["freezes"] = Json::array();
    for (const auto& freeze : watch.freezes) {
        json["freezes"].push_back({{"slot", freeze.slot},
                                   {"event", freeze.event},
                                   {"at_ns", freeze.at_ns},
                                   {"until_ns", freeze.until_ns}});
    }
    return json;
}

Json pmu_json(const trust::Report& report) {
    const trust::PmuReport& pmu = report.pmu;
    Json json;
    json["present"] = pmu.present;
    json["reason"] = pmu.reason;
    json["counters"] = pmu.counters;
    json["counters_ok"] = pmu.counters_ok;
    json["counters_reason"] = pmu.counters_reason;
    json["slots"] = slots_json(pmu.slots);
    json["width_bits"] = pmu.user_read.width_bits;
    json["user_read"] = {{"state", state_or_null(pmu.user_read.state)},
                         {"detail", pmu.user_read.detail}};
    auto tests = pmu.tests;
    if (!pmu.watch.steal.name.empty()) tests.push_back(pmu.watch.steal);
    json["tests"] = tests_json(tests);
    json["watch"] = watch_json(pmu.watch);
    json["sources"] = Json::array();
    for (const auto& source : report.machine.event_sources.sources) {
        json["sources"].push_back(source.name);
    }
    return json;
}

Json events_json(const std::vector<trust::Verdict>& events) {
    Json list = Json::array();
    for (const auto& event : events) {
        list.push_back({{"name", event.name},
                        {"kind", model::to_string(event.kind)},
                        {"state", to_string(event.state)},
                        {"detail", event.detail},
                        {"count", event.count}});
    }
    return list;
}

Json page_json(const trust::PageReport& page) {
    Json json{{"source", page.source}, {"reason", page.reason}};
    if (!page.source) return json;
    json["policy"] = page.policy;
    json["vcpus"] = page.vcpus;
    json["unreadable_vcpus"] = page.unreadable_vcpus;
    json["starved_ns"] = page.starved_ns;
    json["starved"] = Json::array();
    for (const auto& one : page.starved) {
        json["starved"].push_back({{"vcpu", one.vcpu},
                                   {"counter", one.counter},
                                   {"event", one.event >> 8},
                                   {"umask", one.event & 0xff}});
    }
    return json;
}

}  // namespace

std::string doctor_json(const trust::Report& report) {
    Json json;
    json["schema"] = "ringside.doctor/1";
    json["machine"] = machine_json(report);
    json["kvm"] = kvm_json(report);
    json["clock"] = clock_json(report.machine.clock, report.time);
    json["steal"] = {{"supported", report.steal.supported},
                     {"supported_reason", report.steal.supported_reason},
                     {"per_thread", report.steal.per_thread},
                     {"per_thread_reason", report.steal.per_thread_reason},
                     {"cpu_time", report.steal.cpu_time},
                     {"cpu_time_reason", report.steal.cpu_time_reason}};
    json["permissions"] = permissions_json(report.machine.permissions);
    json["pmu"] = pmu_json(report);
    json["events"] = events_json(report.events);
    json["sampling"] = {{"event", report.sampling.event},
                        {"reason", report.sampling.reason},
                        {"tests", tests_json(report.sampling.tests)}};
    json["shared_page"] = page_json(report.page);
    json["advice"] = report.advice;
    json["notes"] = report.notes;
    json["took_seconds"] = report.took_seconds;
    // Text of /proc and /sys may be anything; what is no UTF-8 is replaced, not fatal.
    return json.text();
}

}  // namespace ringside::report
