#include "guest/cache.h"

#include <sys/stat.h>

#include "base/error.h"
#include "guest/image.h"

namespace ringside::guest {

namespace {

// Fetched or built; beside them is what was found out about KVM.
constexpr const char* made_folders[] = {"packages", "kernels", "drivers", "layers"};

std::uint64_t bytes_below(const fs::path& folder) {
    std::uint64_t sum = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        struct stat info {};
        if (::lstat(entry->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
            sum += static_cast<std::uint64_t>(info.st_size);
        }
    }
    return sum;
}

Result<void> remove_tree(const fs::path& path) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return base::fail_errno(error.value(), "cannot remove " + path.string());
    return {};
}

}  // namespace

bool is_set_up(const fs::path& cache, const Kind& kind) {
    if (!find_image(cache, kind)) return false;
    return kind.inner.empty() || is_set_up(cache, *KindTable::built_in().find(kind.inner));
}

std::uint64_t cached_bytes(const fs::path& cache) {
    std::uint64_t sum = 0;
    for (const char* folder : made_folders) sum += bytes_below(cache / folder);
    return sum;
}

Result<void> clean_cache(const fs::path& cache) {
    std::error_code error;
    for (const auto& arch : fs::directory_iterator(cache / "packages", error)) {
        const auto lock = FileLock::take(arch.path() / "lock");
        if (!lock) return lock.error();
        if (auto removed = remove_tree(arch.path()); !removed) return removed;
    }
    for (const char* folder : made_folders) {
        if (auto removed = remove_tree(cache / folder); !removed) return removed;
    }
    return remove_tree(cache / "kvm");
}

}  // namespace ringside::guest
