#include "kvm_stat/table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "proc/task.h"

namespace ringside::kvm_stat {

namespace {

constexpr std::array<std::pair<std::string_view, SortKey>, 6> sort_keys{{{"count", SortKey::count},
                                                                         {"time", SortKey::time},
                                                                         {"p50", SortKey::p50},
                                                                         {"p99", SortKey::p99},
                                                                         {"max", SortKey::max},
                                                                         {"name", SortKey::name}}};

std::uint64_t weight(const TableRow& row, SortKey key) {
    switch (key) {
        case SortKey::count:
            return row.times.count();
        case SortKey::time:
            return row.times.total_ns();
        case SortKey::p50:
            return row.times.percentile_ns(50);
        case SortKey::p99:
            return row.times.percentile_ns(99);
        case SortKey::max:
            return row.times.max_ns();
        case SortKey::name:
            break;
    }
    return 0;
}

void sort_rows(std::vector<TableRow>& rows, SortKey key) {
    std::sort(rows.begin(), rows.end(), [&](const TableRow& a, const TableRow& b) {
        if (a.halt != b.halt) return b.halt;
        const auto of_a = weight(a, key);
        const auto of_b = weight(b, key);
        return of_a != of_b ? of_a > of_b : a.name < b.name;
    });
}

// Adds rows up, whichever vCPU they come from.
class TableMaker {
  public:
    TableMaker(const ReasonNames& names, SortKey key) : names_(names), key_(key) {}

    void add(const VcpuStats& vcpu) {
        table_.guest_ns += vcpu.guest_ns;
        table_.unpaired += vcpu.unpaired;
        for (const auto& [reason, times] : vcpu.reasons) {
            rows_[reason].add(times);
            table_.exits += times.count();
            const bool halt = names_.is_halt(reason);
            table_.halts += halt ? times.count() : 0;
            (halt ? table_.halt_ns : table_.exit_ns) += times.total_ns();
        }
    }

    ExitTable finish() {
        for (auto& [reason, times] : rows_)
            table_.rows.push_back(
                {reason, names_.name(reason), names_.is_halt(reason), std::move(times)});
        sort_rows(table_.rows, key_);
        return std::move(table_);
    }

  private:
    const ReasonNames& names_;
    SortKey key_;
    std::map<ExitReason, Histogram> rows_;
    ExitTable table_;
};

std::string name_of(const Measurement& measurement, std::uint32_t id) {
    const auto found = measurement.names.find(id);
    return found == measurement.names.end() ? std::string() : found->second;
}

VcpuTable vcpu_table(const VcpuStats& vcpu, const Measurement& measurement,
                     const ReasonNames& names, SortKey key) {
    TableMaker maker(names, key);
    maker.add(vcpu);
    VcpuTable result{vcpu.vcpu, vcpu.tid, maker.finish()};
    if (!result.vcpu) result.vcpu = proc::vcpu_of_thread_name(name_of(measurement, vcpu.tid));
    return result;
}

}  // namespace

Result<SortKey> parse_sort_key(std::string_view text) {
    for (const auto& [name, key] : sort_keys)
        if (name == text) return key;
    return base::fail(ErrorCode::bad_input, "no key \"" + std::string(text) + "\" to sort exits by",
                      "use time, count, p50, p99, max or name");
}

std::vector<VmTable> make_tables(const Measurement& measurement, const ReasonNames& names,
                                 const TableChoice& choice) {
    std::map<std::uint32_t, std::vector<const VcpuStats*>> machines;
    for (const auto& vcpu : measurement.vcpus)
        if (!choice.vm || *choice.vm == vcpu.pid) machines[vcpu.pid].push_back(&vcpu);
    std::vector<VmTable> tables;
    for (const auto& [pid, vcpus] : machines) {
        VmTable vm{pid, name_of(measurement, pid), {}, {}};
        TableMaker sum(names, choice.key);
        for (const auto* vcpu : vcpus) {
            sum.add(*vcpu);
            vm.vcpus.push_back(vcpu_table(*vcpu, measurement, names, choice.key));
        }
        vm.table = sum.finish();
        std::stable_sort(vm.vcpus.begin(), vm.vcpus.end(), [](const auto& a, const auto& b) {
            return a.vcpu.value_or(UINT32_MAX) < b.vcpu.value_or(UINT32_MAX);
        });
        tables.push_back(std::move(vm));
    }
    return tables;
}

}  // namespace ringside::kvm_stat
