#include <fmt/format.h>

#include "base/csv.h"
#include "base/json.h"
#include "report/amounts.h"
#include "report/kvm_stat/kvm_stat_report.h"

namespace ringside::report {

namespace {

using base::Json;
using kvm_stat::ExitTable;
using kvm_stat::TableRow;

// Null, and beside it why, where there is no value.
template <typename T>
void put(Json& json, const std::string& name, const std::optional<T>& value, const char* why) {
    json[name] = value;
    if (!value) json[name + "_reason"] = why;
}

std::optional<double> time_percent(const ExitTable& table, const TableRow& row) {
    if (row.halt || table.exit_ns == 0) return std::nullopt;
    return percent(row.times.total_ns(), table.exit_ns);
}

Json row_json(const ExitTable& table, const TableRow& row) {
    Json json;
    json["name"] = row.name;
    json["table"] = to_string(row.reason.table);
    json["code"] = row.reason.code;
    json["halt"] = row.halt;
    json["count"] = row.times.count();
    json["count_pct"] = percent(row.times.count(), table.exits);
    json["total_ns"] = row.times.total_ns();
    put(json, "time_pct", time_percent(table, row),
        row.halt ? "the guest was idle: this is no cost of exits" : "no exit took any time");
    json["p50_ns"] = row.times.percentile_ns(50);
    json["p99_ns"] = row.times.percentile_ns(99);
    json["min_ns"] = row.times.min_ns();
    json["max_ns"] = row.times.max_ns();
    return json;
}

void add_table(Json& json, const ExitTable& table) {
    json["exits"] = table.exits;
    json["halts"] = table.halts;
    json["guest_ns"] = table.guest_ns;
    json["exit_ns"] = table.exit_ns;
    json["halt_ns"] = table.halt_ns;
    const auto& unpaired = table.unpaired;
    json["not_counted"] = {{"before_first_entry", unpaired.before_first_entry},
                           {"open_at_end", unpaired.open_at_end},
                           {"exits_without_entry", unpaired.exits_without_entry},
                           {"entries_without_exit", unpaired.entries_without_exit},
                           {"out_of_order", unpaired.out_of_order}};
    json["reasons"] = Json::array();
    for (const auto& row : table.rows) json["reasons"].push_back(row_json(table, row));
}

Json machine_json(const kvm_stat::VmTable& vm) {
    Json json;
    json["pid"] = vm.pid;
    const auto name = vm.name.empty() ? std::nullopt : std::optional(vm.name);
    put(json, "name", name, "nothing was recorded of the process");
    add_table(json, vm.table);
    json["vcpus"] = Json::array();
    for (const auto& vcpu : vm.vcpus) {
        Json entry;
        put(entry, "vcpu", vcpu.vcpu, "this kernel's tracepoints do not name the vCPU");
        entry["tid"] = vcpu.tid;
        add_table(entry, vcpu.table);
        json["vcpus"].push_back(std::move(entry));
    }
    return json;
}

void add_rows(std::string& text, const std::string& begin, const ExitTable& table) {
    for (const auto& row : table.rows) {
        const auto share = time_percent(table, row);
        text += fmt::format("{},{},{},{},{},{},{:.4f},{},{},{},{},{},{}\n", begin,
                            base::csv_field(row.name), to_string(row.reason.table), row.reason.code,
                            row.halt ? "yes" : "no", row.times.count(),
                            percent(row.times.count(), table.exits), row.times.total_ns(),
                            share ? fmt::format("{:.4f}", *share) : "", row.times.percentile_ns(50),
                            row.times.percentile_ns(99), row.times.min_ns(), row.times.max_ns());
    }
}

}  // namespace

std::string kvm_stat_json(const KvmStatReport& report) {
    Json json;
    json["schema"] = "ringside.kvm-stat/1";
    json["file"] = Json::text_or_null(report.file);
    if (report.at_s) json["at_s"] = *report.at_s;
    put(json, "duration_ns", report.measured.duration_ns, "no entry or exit was seen");
    json["passages"] = report.measured.passages;
    json["lost"] = report.measured.lost;
    json["warnings"] = report.measured.warnings;
    if (const auto why = nothing_seen(report); !why.empty()) json["reason"] = why;
    json["machines"] = Json::array();
    for (const auto& vm : report.machines) json["machines"].push_back(machine_json(vm));
    json["exit_code"] = report.exit_code;
    return json.text(report.at_s ? -1 : 2);
}

std::string kvm_stat_csv(const KvmStatReport& report, bool with_head) {
    std::string text;
    if (with_head)
        text =
            "at_s,pid,vcpu,tid,reason,table,code,halt,count,count_pct,total_ns,time_pct,p50_ns,"
            "p99_ns,min_ns,max_ns\n";
    const std::string at = report.at_s ? fmt::format("{:.6f}", *report.at_s) : "";
    for (const auto& vm : report.machines) {
        if (!report.per_vcpu) add_rows(text, fmt::format("{},{},,", at, vm.pid), vm.table);
        if (!report.per_vcpu) continue;
        for (const auto& vcpu : vm.vcpus) {
            const std::string number = vcpu.vcpu ? std::to_string(*vcpu.vcpu) : "";
            add_rows(text, fmt::format("{},{},{},{}", at, vm.pid, number, vcpu.tid), vcpu.table);
        }
    }
    return text;
}

}  // namespace ringside::report
