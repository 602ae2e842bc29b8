#include "soft/kernel_facts.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "soft/btf.h"

namespace ringside::soft {

namespace {

// pcpu_hot took the place of current_task in Linux 6.2, with that as its first member.
using Symbols = std::map<std::string_view, std::optional<std::uint64_t>>;
void find_symbols(std::string_view kallsyms, Symbols& symbols) {
    for (const auto line : base::split_lines(kallsyms)) {
        const auto words = base::split_words(line);
        if (words.size() != 3) continue;
        const auto wanted = symbols.find(words[2]);
        if (wanted != symbols.end()) wanted->second = base::parse_u64(words[0], 16);
    }
}

struct MemberPlace {
    const char* structure;
    const char* member;
    std::uint32_t soft_kernel::*offset;
};
constexpr MemberPlace members[] = {
    {"task_struct", "pid", &soft_kernel::task_tid},  // what the kernel calls so is a thread's
    {"task_struct", "tgid", &soft_kernel::task_pid},
    {"task_struct", "comm", &soft_kernel::task_comm},
    {"task_struct", "mm", &soft_kernel::task_mm},
    {"mm_struct", "mm_mt.ma_root", &soft_kernel::mm_root},
    {"vm_area_struct", "vm_start", &soft_kernel::map_start},
    {"vm_area_struct", "vm_end", &soft_kernel::map_end},
    {"vm_area_struct", "vm_pgoff", &soft_kernel::map_offset},
    {"vm_area_struct", "vm_file", &soft_kernel::map_file},
    {"file", "f_path.dentry", &soft_kernel::file_name},
    {"dentry", "d_name.name", &soft_kernel::name_text},
    {"dentry", "d_parent", &soft_kernel::name_parent},
    {"maple_range_64", "pivot", &soft_kernel::node_pivots},
    {"maple_range_64", "slot", &soft_kernel::node_slots},
    {"maple_arange_64", "pivot", &soft_kernel::gap_node_pivots},
    {"maple_arange_64", "slot", &soft_kernel::gap_node_slots},
};

Error missing(std::string_view what) {
    return base::fail(ErrorCode::unsupported,
                      fmt::format("the guest's kernel does not say where {} is", what));
}

}  // namespace

Result<soft_kernel> read_kernel_facts(std::string_view kallsyms, std::string btf) {
    constexpr std::uint64_t built_for = SOFT_X86_IMAGE_BASE + 0x1000000;  // CONFIG_PHYSICAL_START
    Symbols symbols{{"_text", {}},
                    {"linux_banner", {}},
                    {"__per_cpu_offset", {}},
                    {"current_task", {}},
                    {"pcpu_hot", {}}};
    find_symbols(kallsyms, symbols);
    const auto current = symbols["current_task"] ? symbols["current_task"] : symbols["pcpu_hot"];
    if (!symbols["linux_banner"] || !symbols["__per_cpu_offset"] || !current) {
        return missing("the task of a CPU");
    }
    if (symbols["_text"] != built_for) {
        return base::fail(ErrorCode::unsupported,
                          "the guest's kernel is not where it was built for",
                          "boot it with nokaslr");
    }
    const auto types = Btf::parse(std::move(btf));
    if (!types) return types.error();
    soft_kernel kernel{};
    kernel.known = 1;
    kernel.image_base = SOFT_X86_IMAGE_BASE;
    kernel.direct_base = SOFT_X86_DIRECT_BASE;
    kernel.banner = *symbols["linux_banner"];
    kernel.per_cpu_offsets = *symbols["__per_cpu_offset"];
    kernel.current_task = *current;
    for (const auto& [structure, member, offset] : members) {
        const auto found = types->offset(structure, member);
        if (!found) return missing(fmt::format("{}.{}", structure, member));
        kernel.*offset = *found;
    }
    return kernel;
}

}  // namespace ringside::soft
