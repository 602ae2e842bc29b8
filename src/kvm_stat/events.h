// KVM's entry and exit tracepoints on this machine: whether they are there, and how they are laid
// out.
#pragma once

#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "perf/tracepoint_format.h"
#include "record/settings.h"

namespace ringside::kvm_stat {

// kvm:kvm_entry and kvm:kvm_exit, for a recording. Where they cannot be had the error says which of
// tracefs, KVM and rights is missing.
Result<std::vector<record::SampledEvent>> passage_events(const base::SysRoot& root);
Result<std::vector<perf::TracepointFormat>> passage_formats(const base::SysRoot& root);

}  // namespace ringside::kvm_stat
