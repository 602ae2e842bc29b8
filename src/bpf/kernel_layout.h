// What the running kernel's own type information (BTF) says about steal: where each CPU's counter
// lies, and whether its scheduler is able to take steal out of CPU time. Readable by everyone.
#pragma once

#include <cstdint>
#include <optional>

#include <ringside/result.h>

#include "base/sys_root.h"

namespace ringside::bpf {

struct KernelLayout {
    // From a CPU's struct rq to its steal counters, in bytes; see steal_layout.h.
    std::optional<std::int64_t> kvm_from_run_queue;
    std::optional<std::int64_t> arm_pv_from_run_queue;
    std::optional<std::int64_t> accounted_from_run_queue;
    // The scheduler keeps a note of the steal it subtracted: CONFIG_PARAVIRT_TIME_ACCOUNTING is
    // built in. It can still be switched off at boot.
    bool can_exclude_steal = false;
    // Likewise for interrupt time: CONFIG_IRQ_TIME_ACCOUNTING.
    bool can_exclude_irq = false;
};

// Fails where the kernel was built without BTF.
Result<KernelLayout> read_kernel_layout(const base::SysRoot& root);

}  // namespace ringside::bpf
