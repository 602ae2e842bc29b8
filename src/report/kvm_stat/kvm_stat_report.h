// Exits of virtual machines as text, CSV and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvm_stat/table.h"
#include "report/style.h"

namespace ringside::report {

struct KvmStatReport {
    kvm_stat::Measurement measured{};
    std::vector<kvm_stat::VmTable> machines{};
    bool per_vcpu = false;
    std::string file{};              // empty: measured live
    std::optional<double> at_s{};    // the end of an interval, since the beginning
    std::optional<int> exit_code{};  // of the command, if one was run
};

std::string kvm_stat_text(const KvmStatReport& report, const Style& style);
// With its head line unless this is not the first interval.
std::string kvm_stat_csv(const KvmStatReport& report, bool with_head);
// On one line where it is one of many.
std::string kvm_stat_json(const KvmStatReport& report);

// Why there is nothing to show; empty if there is something.
std::string nothing_seen(const KvmStatReport& report);

}  // namespace ringside::report
