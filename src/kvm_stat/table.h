// Exits as a reader wants them: by virtual machine, perhaps by vCPU, one row for each reason. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "kvm_stat/measurement.h"

namespace ringside::kvm_stat {

enum class SortKey { count, time, p50, p99, max, name };
Result<SortKey> parse_sort_key(std::string_view text);

struct TableRow {
    ExitReason reason{};
    std::string name;
    bool halt = false;
    Histogram times{};
};

// Rows and their sums, of a vCPU or of all vCPUs of a machine.
struct ExitTable {
    std::vector<TableRow> rows{};  // sorted; halts last
    std::uint64_t exits = 0;       // halts included
    std::uint64_t exit_ns = 0;     // of all exits but halts
    std::uint64_t halts = 0;
    std::uint64_t halt_ns = 0;
    std::uint64_t guest_ns = 0;
    Unpaired unpaired{};
};

struct VcpuTable {
    std::optional<std::uint32_t> vcpu{};
    std::uint32_t tid = 0;
    ExitTable table{};
};

struct VmTable {
    std::uint32_t pid = 0;
    std::string name;  // of the process; empty if it is not known
    ExitTable table{};
    std::vector<VcpuTable> vcpus{};
};

struct TableChoice {
    SortKey key = SortKey::time;
    std::optional<std::uint32_t> vm{};  // only the machine of this process
};

std::vector<VmTable> make_tables(const Measurement& measurement, const ReasonNames& names,
                                 const TableChoice& choice);

}  // namespace ringside::kvm_stat
