#include "bpf/kernel_layout.h"

#include <cerrno>
#include <memory>
#include <string_view>

#include <bpf/btf.h>

#include "base/error.h"

namespace ringside::bpf {

namespace {

struct FreeBtf {
    void operator()(btf* types) const { btf__free(types); }
};
using Btf = std::unique_ptr<btf, FreeBtf>;

// enum cpu_usage_stat in linux/kernel_stat.h: CPUTIME_STEAL is the eighth.
constexpr std::int64_t steal_in_cpustat_bytes = 7 * std::int64_t{8};

std::optional<std::int64_t> per_cpu_offset(const btf* types, const char* variable) {
    const int section = btf__find_by_name_kind(types, ".data..percpu", BTF_KIND_DATASEC);
    const int wanted = btf__find_by_name_kind(types, variable, BTF_KIND_VAR);
    if (section < 0 || wanted < 0) return std::nullopt;
    const btf_type* type = btf__type_by_id(types, static_cast<__u32>(section));
    const btf_var_secinfo* entry = btf_var_secinfos(type);
    for (unsigned i = 0; i < btf_vlen(type); ++i) {
        if (entry[i].type == static_cast<__u32>(wanted)) return entry[i].offset;
    }
    return std::nullopt;
}

bool has_member(const btf* types, const char* name, std::string_view member) {
    const int id = btf__find_by_name_kind(types, name, BTF_KIND_STRUCT);
    if (id < 0) return false;
    const btf_type* type = btf__type_by_id(types, static_cast<__u32>(id));
    const btf_member* entry = btf_members(type);
    for (unsigned i = 0; i < btf_vlen(type); ++i) {
        const char* text = btf__name_by_offset(types, entry[i].name_off);
        if (text != nullptr && member == text) return true;
    }
    return false;
}

std::optional<std::int64_t> from_run_queue(const btf* types, const char* variable,
                                           std::int64_t within = 0) {
    const auto run_queue = per_cpu_offset(types, "runqueues");
    const auto counter = per_cpu_offset(types, variable);
    if (!run_queue || !counter) return std::nullopt;
    return *counter + within - *run_queue;
}

}  // namespace

Result<KernelLayout> read_kernel_layout(const base::SysRoot& root) {
    const std::string path = root.locate("/sys/kernel/btf/vmlinux");
    Btf types(btf__parse(path.c_str(), nullptr));
    if (!types) return base::fail_errno(errno, "cannot read the kernel's types from " + path);
    KernelLayout layout;
    layout.can_exclude_steal = has_member(types.get(), "rq", "prev_steal_time_rq");
    layout.can_exclude_irq = has_member(types.get(), "rq", "prev_irq_time");
    layout.kvm_from_run_queue = from_run_queue(types.get(), "steal_time");
    layout.arm_pv_from_run_queue = from_run_queue(types.get(), "stolen_time_region");
    layout.accounted_from_run_queue =
        from_run_queue(types.get(), "kernel_cpustat", steal_in_cpustat_bytes);
    return layout;
}

}  // namespace ringside::bpf
