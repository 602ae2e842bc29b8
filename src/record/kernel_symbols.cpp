#include "record/kernel_symbols.h"

#include <cstdlib>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_io.h"
#include "perf/zstd_stream.h"

namespace ringside::record {

namespace {

constexpr std::size_t limit_bytes = std::size_t{256} << 20;
constexpr std::string_view prefix = "kallsyms-";

// Addresses change with a boot, and symbols with the modules.
std::string cache_name(const base::SysRoot& root) {
    const auto boot = root.read_trimmed("/proc/sys/kernel/random/boot_id");
    if (!boot) return {};
    const auto modules = root.read("/proc/modules");
    return fmt::format("{}{}-{:x}.zst", prefix, *boot,
                       std::hash<std::string>{}(modules ? *modules : std::string()));
}

void keep(const std::string& folder, const std::string& name, const std::string& content) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (entry.path().filename().string().starts_with(prefix))
            std::filesystem::remove(entry.path(), failed);
    // Addresses of the kernel are not for everybody. Where they cannot be kept, they are read
    // again.
    [[maybe_unused]] const auto kept = base::replace_file(folder + "/" + name, content, 0600);
}

}  // namespace

std::string cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
        return std::string(cache) + "/ringside";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::string(home) + "/.cache/ringside";
    return {};
}

Result<std::string> compressed_kallsyms(const base::SysRoot& root,
                                        const std::string& cache_folder) {
    const std::string name = cache_folder.empty() ? std::string() : cache_name(root);
    if (!name.empty()) {
        auto kept = base::SysRoot().read(cache_folder + "/" + name, limit_bytes);
        if (kept && !kept->empty()) return kept;
    }
    const auto text = root.read("/proc/kallsyms", limit_bytes);
    if (!text) return text.error();
    std::string packed = perf::zstd_compress(*text);
    if (packed.empty()) return base::fail(ErrorCode::io, "cannot compress the kernel's symbols");
    if (!name.empty()) keep(cache_folder, name, packed);
    return packed;
}

}  // namespace ringside::record
