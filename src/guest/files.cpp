#include "guest/files.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"

namespace ringside::guest {

using base::fail_errno;
using base::Fd;

Result<void> write_file(const fs::path& path, std::string_view content) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return fail_errno(errno, "cannot create " + path.string());
    return base::write_all(fd.get(), content, path.string());
}

Result<void> append_file(const fs::path& from, const Fd& to) {
    const Fd fd(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail_errno(errno, "cannot open " + from.string());
    while (true) {
        const ssize_t moved = ::sendfile(to.get(), fd.get(), nullptr, 1u << 30);
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0) return fail_errno(errno, "cannot copy " + from.string());
        if (moved == 0) return {};
    }
}

Result<void> make_directories(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return fail_errno(error.value(), "cannot create " + path.string());
    return {};
}

Result<FileLock> FileLock::take(const fs::path& path) {
    if (auto made = make_directories(path.parent_path()); !made) return made.error();
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd) return fail_errno(errno, "cannot open " + path.string());
    while (::flock(fd.get(), LOCK_EX) != 0) {
        if (errno != EINTR) return fail_errno(errno, "cannot lock " + path.string());
    }
    return FileLock(std::move(fd));
}

Result<fs::path> cache_directory() {
    if (const char* chosen = std::getenv("RINGSIDE_CACHE"); chosen != nullptr && *chosen != '\0') {
        return fs::absolute(chosen);
    }
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
        return fs::path(xdg) / "ringside";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fs::path(home) / ".cache/ringside";
    }
    return base::fail(ErrorCode::not_found, "no place for the cache: HOME is not set",
                      "set RINGSIDE_CACHE to a directory");
}

}  // namespace ringside::guest
