#include "cli/own_files.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"

namespace ringside::cli {

namespace fs = std::filesystem;

Result<std::string> find_own_folder(const std::string& name, const std::string& file) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : {"", "../lib/ringside", "../" RINGSIDE_LIBDIR "/ringside"}) {
        const fs::path folder = (self / place / name).lexically_normal();
        if (fs::exists(folder / file, error)) return folder.string();
    }
    return base::fail(
        ErrorCode::not_found,
        fs::path(file).filename().string() + " is not where it was built or installed",
        "build all targets, or install Ringside as a whole");
}

Result<MemoryFolder> MemoryFolder::make(const std::string& kind) {
    for (const char* place : {"/dev/shm", "/tmp"}) {
        std::string pattern = std::string(place) + "/ringside-" + kind + "-XXXXXX";
        if (::mkdtemp(pattern.data()) != nullptr) return MemoryFolder(pattern);
    }
    return base::fail_errno(errno, "cannot make a folder for counts in /dev/shm or /tmp");
}

MemoryFolder::~MemoryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
}

}  // namespace ringside::cli
