#include "soft/kernel_facts.h"

#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "soft/btf.h"

namespace ringside::soft {

namespace {

using Symbols = std::map<std::string_view, std::optional<std::uint64_t>>;

Symbols find_symbols(std::string_view kallsyms) {
    Symbols symbols;
    for (const auto* name : {"_text", "_stext", "linux_banner", "__per_cpu_offset", "current_task",
                             "pcpu_hot", "cpu_switch_to"}) {
        symbols[name] = std::nullopt;
    }
    for (const auto line : base::split_lines(kallsyms)) {
        const auto words = base::split_words(line);
        if (words.size() != 3) continue;
        const auto wanted = symbols.find(words[2]);
        if (wanted != symbols.end()) wanted->second = base::parse_u64(words[0], 16);
    }
    return symbols;
}

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
// Where /proc/iomem has the "code" or the "data" of the kernel.
std::optional<Range> kernel_range(std::string_view iomem, std::string_view part) {
    for (const auto line : base::split_lines(iomem)) {
        const auto words = base::split_words(line);
        if (words.size() != 4 || words[2] != "Kernel" || words[3] != part) continue;
        const auto dash = words[0].find('-');
        if (dash == std::string_view::npos) continue;
        const auto first = base::parse_u64(words[0].substr(0, dash), 16);
        const auto last = base::parse_u64(words[0].substr(dash + 1), 16);
        if (first && last && *first < *last) return Range{*first, *last + 1};
    }
    return std::nullopt;
}

Error missing(std::string_view what) {
    return base::fail(ErrorCode::unsupported,
                      fmt::format("the guest's kernel does not say where {} is", what));
}

Error moved() {
    return base::fail(ErrorCode::unsupported, "the guest's kernel is not where it was built for",
                      "boot it with nokaslr");
}

// Each CPU has its task in a variable of its own. pcpu_hot took the place of current_task in Linux
// 6.2, with that as its first member.
Result<soft_kernel> place_x86(Symbols& symbols) {
    constexpr std::uint64_t built_for = SOFT_X86_IMAGE_BASE + 0x1000000;  // CONFIG_PHYSICAL_START
    const auto current = symbols["current_task"] ? symbols["current_task"] : symbols["pcpu_hot"];
    if (!symbols["linux_banner"] || !symbols["__per_cpu_offset"] || !current) {
        return missing("the task of a CPU");
    }
    if (symbols["_text"] != built_for) return moved();
    soft_kernel kernel{};
    kernel.image_base = SOFT_X86_IMAGE_BASE;
    kernel.direct_base = SOFT_X86_DIRECT_BASE;
    kernel.per_cpu_offsets = *symbols["__per_cpu_offset"];
    kernel.current_task = *current;
    kernel.banner = *symbols["linux_banner"];
    return kernel;
}

// A CPU has its task in a register, which QEMU does not show; and Debian's kernel names functions
// only. Its page tables are for addresses of 48 bits.
Result<soft_kernel> place_arm64(Symbols& symbols, std::string_view iomem) {
    const auto code = kernel_range(iomem, "code");
    const auto data = kernel_range(iomem, "data");
    if (!symbols["_stext"] || !code || !data) return missing("its code");
    soft_kernel kernel{};
    kernel.image_base = *symbols["_stext"] - (code->begin - SOFT_ARM64_RAM_BASE);
    kernel.direct_base = SOFT_ARM64_DIRECT_BASE;
    if (code->begin < SOFT_ARM64_RAM_BASE || kernel.image_base <= kernel.direct_base)
        return moved();
    kernel.image_end = kernel.image_base + (data->end - SOFT_ARM64_RAM_BASE);
    kernel.switch_code = *symbols["cpu_switch_to"];
    return kernel;
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
constexpr MemberPlace arm64_members[] = {
    {"task_struct", "thread.cpu_context", &soft_kernel::task_context},
};

Result<void> find_members(const Btf& types, std::span<const MemberPlace> places,
                          soft_kernel& kernel) {
    for (const auto& [structure, member, offset] : places) {
        const auto found = types.offset(structure, member);
        if (!found) return missing(fmt::format("{}.{}", structure, member));
        kernel.*offset = *found;
    }
    return {};
}

}  // namespace

Result<soft_kernel> read_kernel_facts(std::string_view kallsyms, std::string btf,
                                      std::string_view iomem) {
    Symbols symbols = find_symbols(kallsyms);
    const bool arm64 = symbols["cpu_switch_to"].has_value();
    auto kernel = arm64 ? place_arm64(symbols, iomem) : place_x86(symbols);
    if (!kernel) return kernel.error();
    const auto types = Btf::parse(std::move(btf));
    if (!types) return types.error();
    if (auto found = find_members(*types, members, *kernel); !found) return found.error();
    if (arm64) {
        if (auto found = find_members(*types, arm64_members, *kernel); !found) return found.error();
    }
    kernel->known = 1;
    return kernel;
}

}  // namespace ringside::soft
