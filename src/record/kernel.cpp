#include "record/kernel.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "perf/record_encoder.h"
#include "symbols/build_id.h"

namespace ringside::record {

namespace {

using base::SysRoot;

constexpr std::uint32_t no_process = UINT32_MAX;

std::optional<std::uint64_t> address_of(std::string_view kallsyms, std::string_view symbol) {
    for (const auto line : base::split_lines(kallsyms)) {
        const auto words = base::split_words(line);
        if (words.size() == 3 && words[2] == symbol) return base::parse_u64(words[0], 16);
    }
    return std::nullopt;
}

// "  01000000-02208bc7 : Kernel code": where the code lies in memory tells how long it is, without
// reading through 100,000 symbols for the last.
std::uint64_t code_bytes(const SysRoot& root) {
    const auto text = root.read("/proc/iomem");
    if (!text) return 0;
    for (const auto line : base::split_lines(*text)) {
        if (!line.ends_with(" : Kernel code")) continue;
        const auto range = base::split(base::trim(line.substr(0, line.find(" : "))), '-');
        if (range.size() != 2) return 0;
        const auto first = base::parse_u64(range[0], 16).value_or(0);
        const auto last = base::parse_u64(range[1], 16).value_or(0);
        return last > first ? last + 1 - first : 0;
    }
    return 0;
}

// Symbols come in the order of their addresses, the code's beginning first.
void read_code_range(const SysRoot& root, KernelImage& kernel) {
    constexpr std::size_t head_bytes = 16u << 10;
    const auto head = root.read("/proc/kallsyms", head_bytes);
    if (!head) return;
    const auto text = address_of(*head, "_text");
    const auto code = address_of(*head, "_stext");
    if (!text || *text == 0) return;
    kernel.start = *text;
    kernel.size = code_bytes(root);
    if (kernel.size > 0) {
        kernel.size += code.value_or(*text) - *text;
        return;
    }
    const auto all = root.read("/proc/kallsyms", std::size_t{64} << 20);
    const auto end = all ? address_of(*all, "_etext") : std::nullopt;
    kernel.size = end && *end > kernel.start ? *end - kernel.start : 0;
}

std::string module_name(std::string_view path) {
    std::string name(path.substr(path.rfind('/') + 1));
    name = name.substr(0, name.find(".ko"));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// From the module's name to its file, by the list that depmod keeps.
std::map<std::string, std::string> module_files(const SysRoot& root) {
    utsname self{};
    ::uname(&self);
    const std::string folder = fmt::format("/lib/modules/{}/", self.release);
    std::map<std::string, std::string> files;
    const auto list = root.read(folder + "modules.dep");
    if (!list) return files;
    for (const auto line : base::split_lines(*list)) {
        const auto path = line.substr(0, line.find(':'));
        files.emplace(module_name(path), folder + std::string(path));
    }
    return files;
}

std::string notes_id(const SysRoot& root, const std::string& path) {
    const auto notes = root.read(path);
    return notes ? symbols::build_id_in_notes(std::as_bytes(std::span(*notes))) : std::string();
}

// "virtio_net 61440 0 - Live 0xffffffffc0200000"
void read_modules(const SysRoot& root, KernelImage& kernel) {
    const auto text = root.read("/proc/modules");
    if (!text || text->empty()) return;
    const auto files = module_files(root);
    for (const auto line : base::split_lines(*text)) {
        const auto words = base::split_words(line);
        if (words.size() < 6 || !words[5].starts_with("0x")) continue;
        KernelModule module;
        module.name = words[0];
        module.size = base::parse_u64(words[1]).value_or(0);
        module.start = base::parse_u64(words[5].substr(2), 16).value_or(0);
        if (module.start == 0 || module.size == 0) continue;
        const auto file = files.find(module.name);
        module.file = file != files.end() ? file->second : "[" + module.name + "]";
        module.build_id =
            notes_id(root, "/sys/module/" + module.name + "/notes/.note.gnu.build-id");
        kernel.modules.push_back(std::move(module));
    }
}

perf::MapRecord kernel_map(std::uint64_t start, std::uint64_t size, std::string file) {
    perf::MapRecord map;
    map.pid = no_process;
    map.start = start;
    map.size = size;
    map.file = std::move(file);
    return map;
}

}  // namespace

KernelImage read_kernel_image(const SysRoot& root) {
    KernelImage kernel;
    read_code_range(root, kernel);
    kernel.build_id = notes_id(root, "/sys/kernel/notes");
    read_modules(root, kernel);
    return kernel;
}

void describe_kernel(const KernelImage& kernel, bool guests, base::ByteWriter& out) {
    if (kernel.start != 0) {
        auto map = kernel_map(kernel.start, kernel.size, "[kernel.kallsyms]_text");
        map.file_offset = kernel.start;  // where the symbol in its name lies: tells if it moved
        perf::encode_kernel_map(out, map, PERF_RECORD_MISC_KERNEL);
    }
    for (const auto& module : kernel.modules)
        perf::encode_kernel_map(out, kernel_map(module.start, module.size, module.file),
                                PERF_RECORD_MISC_KERNEL);
    if (!guests) return;
    // All that has the highest bit set.
    constexpr std::uint64_t kernel_half = std::uint64_t{1} << 63;
    auto map = kernel_map(kernel_half, kernel_half - 1, "[guest.kernel.kallsyms]_text");
    map.pid = 0;
    perf::encode_kernel_map(out, map, PERF_RECORD_MISC_GUEST_KERNEL);
}

std::vector<perf::DataBuildId> build_ids_of(const KernelImage& kernel) {
    std::vector<perf::DataBuildId> ids;
    if (!kernel.build_id.empty())
        ids.push_back({"[kernel.kallsyms]", kernel.build_id, perf::CpuMode::kernel, no_process});
    for (const auto& module : kernel.modules)
        if (!module.build_id.empty())
            ids.push_back({module.file, module.build_id, perf::CpuMode::kernel, no_process});
    return ids;
}

}  // namespace ringside::record
