#include "cli/kvm_stat_view.h"

#include "base/error.h"
#include "base/text.h"

namespace ringside::cli {

void KvmStatView::declare(Options& options) {
    declare_output(options, output, true);
    options.text("-s, --sort", "KEY", sort_, "time, count, p50, p99, max or name [time]");
    options.flag("--per-vcpu", per_vcpu_, "a table for each virtual CPU");
    options.text("--vm", "PID", vm_, "only the virtual machine that this process runs");
}

Result<void> KvmStatView::read_options() {
    const auto key = kvm_stat::parse_sort_key(sort_);
    if (!key) return key.error();
    choice_.key = *key;
    if (vm_.empty()) return {};
    const auto pid = base::parse_u64(vm_);
    if (!pid || *pid > UINT32_MAX)
        return base::fail(ErrorCode::bad_input, "not a process id: " + vm_);
    choice_.vm = static_cast<std::uint32_t>(*pid);
    return {};
}

report::KvmStatReport KvmStatView::report(kvm_stat::Measurement measured) const {
    report::KvmStatReport report;
    report.machines = make_tables(measured, names_, choice_);
    report.measured = std::move(measured);
    report.per_vcpu = per_vcpu_;
    return report;
}

std::string KvmStatView::render(const report::KvmStatReport& report, bool with_head,
                                std::FILE* stream) const {
    if (output.json) return report::kvm_stat_json(report);
    if (output.csv) return report::kvm_stat_csv(report, with_head);
    return report::kvm_stat_text(report, report::Style(for_people() ? stream : nullptr));
}

}  // namespace ringside::cli
