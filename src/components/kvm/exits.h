// KVM's tracepoints, counted: kvm_exit of one process's vCPUs, or of the whole host.
#pragma once

#include <string_view>

#include "base/sys_root.h"
#include "components/kvm/source.h"

namespace ringside::components::kvm {

// Of the threads of process `pid` and those it makes later; 0 is the whole host. Needs tracefs and
// CAP_PERFMON.
Result<SourcePtr> open_tracepoint(const base::SysRoot& root, int pid, std::string_view name);

}  // namespace ringside::components::kvm
