#include "base/file_io.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/own_calls.h"

namespace ringside::base {

Result<Fd> open_regular(const std::string& path) {
    const Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!place || ::fstat(place.get(), &status) != 0)
        return fail_errno(errno, "cannot open " + path);
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::bad_input, path + " is not a regular file");
    // By this name it is the file that was looked at, whatever lies at its path by now.
    const std::string same = "/proc/self/fd/" + std::to_string(place.get());
    Fd fd(::open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return fail_errno(errno, "cannot open " + path);
    return fd;
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& name) {
    const OwnCalls own;
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_errno(errno, "cannot write " + name);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> replace_file(const std::string& path, std::string_view content) {
    std::string draft = path + ".XXXXXX";
    const Fd fd(::mkostemp(draft.data(), O_CLOEXEC));
    if (!fd) return fail_errno(errno, "cannot create " + path);
    ::fchmod(fd.get(), 0644);
    auto written = write_all(fd.get(), content, path);
    if (written && ::rename(draft.c_str(), path.c_str()) != 0) {
        written = fail_errno(errno, "cannot create " + path);
    }
    if (!written) ::unlink(draft.c_str());
    return written;
}

}  // namespace ringside::base
