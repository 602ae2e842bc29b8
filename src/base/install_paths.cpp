#include "base/install_paths.h"

#include <filesystem>

#include "base/error.h"

namespace ringside::base {

namespace fs = std::filesystem;

Result<std::string> own_program() {
    std::error_code error;
    const auto path = fs::read_symlink("/proc/self/exe", error);
    if (error) return fail(ErrorCode::io, "cannot find our own program: " + error.message());
    return path.string();
}

Result<std::string> find_own_folder(const std::string& name, const std::string& file) {
    const auto program = own_program();
    if (!program) return program.error();
    std::error_code error;
    const fs::path self = fs::path(*program).parent_path();
    for (const char* place : {"", "../lib/ringside", "../" RINGSIDE_LIBDIR "/ringside"}) {
        const fs::path folder = (self / place / name).lexically_normal();
        if (fs::exists(folder / file, error)) return folder.string();
    }
    return fail(ErrorCode::not_found,
                fs::path(file).filename().string() + " is not where it was built or installed",
                "build all targets, or install Ringside as a whole");
}

}  // namespace ringside::base
