// How exits are shown, as typed: the same for all verbs that show some.
#pragma once

#include <cstdio>
#include <string>

#include <ringside/result.h>

#include "cli/options.h"
#include "cli/output.h"
#include "report/kvm_stat/kvm_stat_report.h"

namespace ringside::cli {

class KvmStatView {
  public:
    void declare(Options& options);
    Result<void> read_options();

    report::KvmStatReport report(kvm_stat::Measurement measured) const;
    bool for_people() const { return !output.json && !output.csv && output.file.empty(); }
    // `stream` is where text for people will go.
    std::string render(const report::KvmStatReport& report, bool with_head,
                       std::FILE* stream) const;

    OutputChoice output;

  private:
    kvm_stat::ReasonNames names_;
    kvm_stat::TableChoice choice_;
    std::string sort_ = "time";
    std::string vm_;
    bool per_vcpu_ = false;
};

}  // namespace ringside::cli
