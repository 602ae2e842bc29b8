#include <fmt/format.h>

#include "base/visible.h"
#include "report/amounts.h"
#include "report/kvm_stat/kvm_stat_report.h"

namespace ringside::report {

namespace {

using kvm_stat::ExitTable;
using kvm_stat::TableRow;

std::string share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{:.2f}", percent(part, whole));
}

std::string row_text(const ExitTable& table, const TableRow& row) {
    const auto& times = row.times;
    return fmt::format("  {:<22}{:>10}{:>8}{:>11}{:>8}{:>10}{:>10}{:>10}{:>10}\n",
                       base::visible(row.name) + (row.halt ? " (idle)" : ""), times.count(),
                       share(times.count(), table.exits), time_text(times.total_ns()),
                       row.halt ? "-" : share(times.total_ns(), table.exit_ns),
                       time_text(times.percentile_ns(50)), time_text(times.percentile_ns(99)),
                       time_text(times.min_ns()), time_text(times.max_ns()));
}

std::string unpaired_text(const kvm_stat::Unpaired& unpaired) {
    std::string text;
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(unpaired.before_first_entry, "exits before the first entry");
    add(unpaired.open_at_end, "exits not over at the end");
    add(unpaired.exits_without_entry, "exits without their entry");
    add(unpaired.entries_without_exit, "entries without an exit before");
    add(unpaired.out_of_order, "out of order");
    return text.empty() ? text : "  not counted: " + text + "\n";
}

std::string table_text(const ExitTable& table, const Style& style) {
    std::string text =
        style.dim(fmt::format("  {:<22}{:>10}{:>8}{:>11}{:>8}{:>10}{:>10}{:>10}{:>10}\n", "reason",
                              "exits", "%", "time", "% time", "p50", "p99", "min", "max"));
    for (const auto& row : table.rows) text += row_text(table, row);
    return text + unpaired_text(table.unpaired);
}

std::string sums_text(const ExitTable& table) {
    return fmt::format("{} exits; {} in the guest, {} for exits, {} halted", table.exits,
                       time_text(table.guest_ns), time_text(table.exit_ns),
                       time_text(table.halt_ns));
}

std::string machine_text(const kvm_stat::VmTable& vm, bool per_vcpu, const Style& style) {
    const std::string name = vm.name.empty() ? "" : " (" + base::visible(vm.name) + ")";
    std::string text = style.strong(fmt::format("VM of process {}{}, {} vCPU{}", vm.pid, name,
                                                vm.vcpus.size(), vm.vcpus.size() == 1 ? "" : "s")) +
                       ": " + sums_text(vm.table) + "\n";
    if (!per_vcpu) return text + table_text(vm.table, style);
    for (const auto& vcpu : vm.vcpus) {
        const std::string number = vcpu.vcpu ? std::to_string(*vcpu.vcpu) : "of unknown number";
        text += fmt::format(" vCPU {}, thread {}: {}\n", number, vcpu.tid, sums_text(vcpu.table));
        text += table_text(vcpu.table, style);
    }
    return text;
}

}  // namespace

std::string nothing_seen(const KvmStatReport& report) {
    if (!report.machines.empty()) return {};
    if (report.measured.passages > 0) return "no exit of this VM was seen; others have some";
    return "no entry or exit was seen: no virtual CPU ran, or this KVM does not fire kvm_entry and "
           "kvm_exit (paravirtual backends do not)";
}

std::string kvm_stat_text(const KvmStatReport& report, const Style& style) {
    std::string text;
    if (report.at_s) text += style.dim(fmt::format("{:.3f} s", *report.at_s)) + "\n";
    for (const auto& vm : report.machines) text += machine_text(vm, report.per_vcpu, style);
    if (const auto why = nothing_seen(report); !why.empty()) text += why + "\n";
    const auto lost = report.measured.lost;
    if (lost > 0)
        text += style.bad(fmt::format("{} records LOST: counts are too low by up to that many; a "
                                      "larger buffer (-m) helps",
                                      lost)) +
                "\n";
    return text;
}

}  // namespace ringside::report
