#include "base/beneath.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

namespace ringside::base {

namespace {

Fd open_by_kernel(int folder, const std::string& name, int flags, mode_t mode) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.mode = (flags & O_CREAT) != 0 ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    return Fd(static_cast<int>(::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how)));
}

// Where the kernel is older than openat2 or a sandbox forbids it: part by part, each folder held
// open while the next is looked up in it, so that none can be exchanged on the way.
Fd open_by_steps(int folder, const std::string& name, int flags, mode_t mode) {
    Fd above;
    const auto parts = split(name, '/');
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part(parts[i]);
        if (part == ".." || part.empty()) {
            errno = EXDEV;
            return Fd();
        }
        const int from = above ? above.get() : folder;
        if (i + 1 == parts.size())
            return Fd(::openat(from, part.c_str(), flags | O_NOFOLLOW, mode));
        Fd next(::openat(from, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next) return next;
        above = std::move(next);
    }
    errno = ENOENT;
    return Fd();
}

}  // namespace

Fd open_beneath(int folder, const std::string& name, int flags, mode_t mode) {
    Fd fd = open_by_kernel(folder, name, flags, mode);
    const bool unknown_call = !fd && (errno == ENOSYS || errno == EPERM);
    return unknown_call ? open_by_steps(folder, name, flags, mode) : std::move(fd);
}

}  // namespace ringside::base
