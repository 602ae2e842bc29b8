#include "base/scratch_dir.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace ringside::base {

namespace {

namespace fs = std::filesystem;

// With mode 0700, under a name that nobody can guess.
Result<fs::path> make_below(const fs::path& parent, std::string_view name) {
    std::string pattern = (parent / std::string(name)).string() + ".XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) return fail_errno(errno, "cannot create " + pattern);
    return fs::path(pattern);
}

}  // namespace

Result<ScratchDir> ScratchDir::make(std::string_view name) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) return fail_errno(error.value(), "no directory for temporary files");
    auto path = make_below(parent, name);
    if (!path) return path.error();
    return ScratchDir(std::move(*path));
}

Result<ScratchDir> ScratchDir::make_in_memory(std::string_view name) {
    auto path = make_below("/dev/shm", name);
    if (!path) path = make_below("/tmp", name);
    if (!path) return path.error();
    return ScratchDir(std::move(*path));
}

ScratchDir::~ScratchDir() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ringside::base
