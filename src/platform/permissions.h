// What this process may ask of perf and BPF, as written in sysctls and /proc/self/status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sys_root.h"
#include "platform/fact.h"

namespace ringside::platform {

// Bits of CapEff, from linux/capability.h.
enum class Capability { sys_ptrace = 19, sys_admin = 21, syslog = 34, perfmon = 38, bpf = 39 };

struct Permissions {
    Fact<int> perf_event_paranoid;  // not there at all: a kernel without perf
    Fact<int> perf_user_access;     // arm64: 1 lets user space read counters
    Fact<int> perf_event_max_sample_rate;
    Fact<int> perf_event_mlock_kb;
    Fact<int> kptr_restrict;
    Fact<int> unprivileged_bpf_disabled;
    Fact<std::string> lockdown;  // "none", "integrity", "confidentiality"
    Fact<std::uint64_t> effective_capabilities;
    Fact<int> seccomp_mode;  // 0 off, 1 strict, 2 filter
    Fact<bool> no_new_privs;
    Fact<int> effective_uid;
    Fact<bool> initial_user_namespace;  // perf honours capabilities only there

    bool has(Capability capability) const;
    // CAP_PERFMON, or CAP_SYS_ADMIN which contains it, in the initial user namespace.
    bool privileged_for_perf() const;
    // What the paranoid level and the capabilities allow; a seccomp filter may still forbid it.
    bool may_count_user() const;
    bool may_count_kernel() const;
};

Permissions read_permissions(const base::SysRoot& root);

// The level in force, in brackets in /sys/kernel/security/lockdown: "none [integrity] ...".
std::string parse_lockdown(std::string_view text);

}  // namespace ringside::platform
