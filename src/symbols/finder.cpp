#include "symbols/finder.h"

#include <optional>

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/text.h"
#include "symbols/mapped_file.h"

namespace ringside::symbols {

namespace {

std::optional<ElfFile> parsed(const std::optional<MappedFile>& file) {
    return file ? parse_elf(file->bytes()) : std::nullopt;
}

// The kernel maps the same vDSO into us as into whoever was measured here. Read as a file, because
// how long it is only the kernel knows.
std::optional<MappedFile> read_vdso() {
    const auto address = ::getauxval(AT_SYSINFO_EHDR);
    const base::Fd memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
    if (address == 0 || !memory) return std::nullopt;
    std::vector<std::byte> bytes(64u << 10);
    const ssize_t size =
        ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (size <= 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size));
    return MappedFile(std::move(bytes));
}

std::optional<uid_t> owner_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status.st_uid;
}

// Below `root`, which may be another machine's or a container's: its links lead nowhere else.
Result<std::string> perf_map(const std::string& root, const std::string& pid,
                             std::optional<uid_t> process_owner) {
    const std::string name = "tmp/perf-" + pid + ".map";
    const base::Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const base::Fd fd =
        folder ? base::open_beneath(folder.get(), name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
               : base::Fd();
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return base::fail(ErrorCode::not_found, "it wrote no /" + name);
    if (status.st_uid != 0 && status.st_uid != ::geteuid() && status.st_uid != process_owner)
        return base::fail(ErrorCode::not_permitted,
                          "/" + name + " belongs to user " + std::to_string(status.st_uid) +
                              ", who is not the process's, and is not believed");
    constexpr std::size_t limit_bytes = 256u << 20;
    return base::SysRoot().read("/proc/self/fd/" + std::to_string(fd.get()), limit_bytes);
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

std::optional<MappedFile> Finder::open_at(const std::string& path) const {
    return path == "[vdso]" ? read_vdso() : MappedFile::open(root_.locate(path));
}

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

Found Finder::find_at(const Wanted& wanted) const {
    auto main = parsed(open_at(wanted.path));
    const bool replaced = main && !wanted.build_id.empty() && !main->build_id.empty() &&
                          main->build_id != wanted.build_id;
    Found best;
    if (main && !replaced) best = {*main, wanted.path, {}, {}};
    if (best.elf.has_debug_info) best.debug_file = root_.locate(wanted.path);
    if (!best.elf.has_symtab) {
        for (const auto& path : candidates(wanted, main && !replaced ? &*main : nullptr)) {
            auto other = parsed(MappedFile::open(root_.locate(path)));
            const bool same =
                other && (wanted.build_id.empty() || other->build_id == wanted.build_id);
            if (!same || (!other->has_symtab && !best.elf.functions.empty())) continue;
            if (!best.elf.segments.empty()) other->segments = best.elf.segments;
            std::string debug_file = other->has_debug_info ? root_.locate(path) : "";
            return {std::move(*other), path, std::move(debug_file), {}};
        }
    }
    if (best.elf.functions.empty())
        best.reason = wanted.path.ends_with(" (deleted)") ? "deleted while it ran"
                      : replaced ? "replaced since it was recorded (another build-id)"
                      : main     ? "stripped, and no debug file was found"
                                 : "not found on this machine";
    return best;
}

// A container's process sees other files under the same names; while it lives they can be reached.
std::optional<std::string> Finder::container_path(const Wanted& wanted) const {
    if (wanted.pid == 0 || !wanted.path.starts_with('/')) return std::nullopt;
    const std::string process = "/proc/" + std::to_string(wanted.pid);
    const auto theirs = root_.read_link(process + "/ns/mnt");
    const auto ours = root_.read_link("/proc/self/ns/mnt");
    if (!theirs || !ours || *theirs == *ours) return std::nullopt;
    return process + "/root" + wanted.path;
}

Found Finder::find(const Wanted& wanted) const {
    if (const auto path = container_path(wanted)) {
        Found there = find_at({*path, wanted.build_id, 0});
        if (there.reason.empty()) return there;
    }
    return find_at(wanted);
}

std::optional<std::string> Finder::path_of(const Wanted& wanted) const {
    for (const auto& path : {container_path(wanted).value_or(""), wanted.path}) {
        const auto file = open_at(path);
        const auto elf = file ? ElfSections::parse(file->bytes()) : std::nullopt;
        if (!elf) continue;
        std::string build_id;
        for (const auto& section : elf->sections())
            if (section.type == SHT_NOTE && build_id.empty())
                build_id = build_id_in(elf->content(section), elf->order());
        if (wanted.build_id.empty() || build_id.empty() || build_id == wanted.build_id) return path;
    }
    return std::nullopt;
}

std::optional<MappedFile> Finder::open(const Wanted& wanted) const {
    const auto path = path_of(wanted);
    return path ? open_at(*path) : std::nullopt;
}

std::string Finder::locate(const Wanted& wanted) const {
    const auto path = path_of(wanted);
    return path ? root_.locate(*path) : "";
}

std::string Finder::kernel_build_id() const {
    const auto notes = root_.read("/sys/kernel/notes");
    if (!notes) return {};
    return build_id_in(std::as_bytes(std::span(*notes)), base::ByteOrder::same);
}

Result<SymbolTable> Finder::generated(std::uint32_t pid) const {
    const std::string process = "/proc/" + std::to_string(pid);
    // The last number is the pid as the process itself sees it.
    std::string own_pid = std::to_string(pid);
    const auto status = root_.read(process + "/status");
    if (status)
        if (const auto ids = base::find_field(*status, "NSpid"))
            if (const auto words = base::split_words(*ids); !words.empty()) own_pid = words.back();
    const auto owner = owner_of(root_.locate(process));
    auto list = perf_map(root_.locate(process + "/root"), own_pid, owner);
    if (!list) {
        auto ours = perf_map(root_.locate("/"), std::to_string(pid), owner);
        if (ours || ours.error().code != ErrorCode::not_found) list = std::move(ours);
    }
    if (!list) return list.error();
    return parse_perf_map(*list);
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
