#include "symbols/finder.h"

#include <optional>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mmap.h"
#include "base/text.h"

namespace ringside::symbols {

namespace {

std::optional<ElfFile> read_elf(const std::string& path) {
    const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return std::nullopt;
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (memory == MAP_FAILED) return std::nullopt;
    const base::Mmap mapping(memory, size);
    return parse_elf({mapping.data(), size});
}

// The kernel maps the same vDSO into us as into whoever was measured here. Read as a file, because
// how long it is only the kernel knows.
std::optional<ElfFile> read_vdso() {
    const auto address = ::getauxval(AT_SYSINFO_EHDR);
    const base::Fd memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
    if (address == 0 || !memory) return std::nullopt;
    std::vector<std::byte> bytes(64u << 10);
    const ssize_t size =
        ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (size <= 0) return std::nullopt;
    return parse_elf(std::span(bytes).first(static_cast<std::size_t>(size)));
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

std::vector<std::string> Finder::candidates(const Wanted& wanted, const ElfFile* main) const {
    const std::string build_id =
        wanted.build_id.empty() && main != nullptr ? main->build_id : wanted.build_id;
    std::vector<std::string> paths;
    if (build_id.size() > 2) {
        const std::string split = build_id.substr(0, 2) + "/" + build_id.substr(2);
        paths.push_back("/usr/lib/debug/.build-id/" + split + ".debug");
        if (const char* home = ::getenv("HOME"))
            paths.push_back(std::string(home) + "/.debug/.build-id/" + split + "/elf");
    }
    if (main != nullptr && !main->debug_link.empty()) {
        const std::string folder = folder_of(wanted.path);
        paths.push_back(folder + "/" + main->debug_link);
        paths.push_back(folder + "/.debug/" + main->debug_link);
        paths.push_back("/usr/lib/debug" + folder + "/" + main->debug_link);
    }
    return paths;
}

Found Finder::find(const Wanted& wanted) const {
    auto main = wanted.path == "[vdso]" ? read_vdso() : read_elf(root_.locate(wanted.path));
    const bool replaced = main && !wanted.build_id.empty() && !main->build_id.empty() &&
                          main->build_id != wanted.build_id;
    Found best;
    if (main && !replaced) best = {*main, wanted.path, {}};
    if (!best.elf.has_symtab) {
        for (const auto& path : candidates(wanted, main && !replaced ? &*main : nullptr)) {
            auto other = read_elf(root_.locate(path));
            const bool same =
                other && (wanted.build_id.empty() || other->build_id == wanted.build_id);
            if (!same || (!other->has_symtab && !best.elf.functions.empty())) continue;
            if (!best.elf.segments.empty()) other->segments = best.elf.segments;
            return {std::move(*other), path, {}};
        }
    }
    if (best.elf.functions.empty())
        best.reason = replaced ? "replaced since it was recorded (another build-id)"
                      : main   ? "stripped, and no debug file was found"
                               : "not found on this machine";
    return best;
}

KernelSymbols Finder::kernel(const std::string& path) const {
    constexpr std::size_t limit_bytes = 256u << 20;
    const auto text = root_.read(path, limit_bytes);
    return text ? parse_kallsyms(*text) : KernelSymbols{};
}

SymbolTable parse_perf_map(std::string_view text) {
    SymbolTable table;
    for (const auto line : base::split_lines(text)) {
        const auto first = line.find(' ');
        if (first == std::string_view::npos) continue;
        const auto second = line.find(' ', first + 1);
        if (second == std::string_view::npos) continue;
        auto start_text = line.substr(0, first);
        if (start_text.starts_with("0x")) start_text.remove_prefix(2);
        const auto start = base::parse_u64(start_text, 16);
        const auto size = base::parse_u64(line.substr(first + 1, second - first - 1), 16);
        if (start && size) table.add(*start, *size, line.substr(second + 1));
    }
    table.finish();
    return table;
}

}  // namespace ringside::symbols
