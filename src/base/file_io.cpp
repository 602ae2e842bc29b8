#include "base/file_io.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
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

namespace {

std::string random_suffix() {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz012345";
    std::array<unsigned char, 8> random{};
    if (::getrandom(random.data(), random.size(), GRND_NONBLOCK) < 0) random.fill(0);
    std::string suffix = ".";
    for (const unsigned char byte : random) suffix += letters[byte % letters.size()];
    return suffix;
}

// Some file systems, those of FUSE among them, have nothing to do here and say so.
bool is_synced(int result) {
    return result == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
}

}  // namespace

Draft::Draft(Draft&& other) noexcept
    : folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      shown_(std::move(other.shown_)),
      made_as_(std::exchange(other.made_as_, {})),
      fd_(std::move(other.fd_)) {}

Draft::~Draft() {
    if (!made_as_.empty()) ::unlinkat(folder_.get(), made_as_.c_str(), 0);
}

Result<Draft> Draft::beside(const std::string& path, mode_t mode) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    Fd opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return fail_errno(errno, "cannot create " + path);
    return make(std::move(opened), path.substr(slash + 1), mode, path);
}

Result<Draft> Draft::in(Fd folder, const std::string& name, mode_t mode) {
    return make(std::move(folder), name, mode, name);
}

Result<Draft> Draft::make(Fd folder, const std::string& name, mode_t mode, std::string shown) {
    constexpr std::size_t most_of_name = 200;  // NAME_MAX holds it with its suffix
    constexpr int tries = 100;
    const OwnCalls own;
    Draft draft(std::move(folder), name, std::move(shown));
    // A name that replaces /dev/null breaks the machine.
    struct stat there {};
    if (::fstatat(draft.folder_.get(), name.c_str(), &there, 0) == 0 && !S_ISREG(there.st_mode)) {
        return fail(ErrorCode::bad_input,
                    "cannot create " + draft.shown_ + ": a device, a pipe or a folder is there",
                    "name a file");
    }
    for (int i = 0; i < tries && !draft.fd_; ++i) {
        const std::string made_as = name.substr(0, most_of_name) + random_suffix();
        draft.fd_ = Fd(::openat(draft.folder_.get(), made_as.c_str(),
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (draft.fd_) draft.made_as_ = made_as;
        if (!draft.fd_ && errno != EEXIST) break;
    }
    if (!draft.fd_) return fail_errno(errno, "cannot create " + draft.shown_);
    ::fchmod(draft.fd_.get(), mode);
    return draft;
}

Result<void> Draft::sync() const {
    if (is_synced(::fsync(fd_.get()))) return {};
    return fail_errno(errno, "cannot write " + shown_ + " to the disk");
}

// The name is there; that it could not be written to the disk yet is no reason to say it is not.
void Draft::sync_folder() const {
    const OwnCalls own;
    const Fd folder(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder) ::fsync(folder.get());
}

Result<void> Draft::publish() {
    if (auto synced = sync(); !synced) return synced;
    if (::renameat(folder_.get(), made_as_.c_str(), folder_.get(), name_.c_str()) != 0) {
        return fail_errno(errno, "cannot create " + shown_);
    }
    made_as_.clear();
    sync_folder();
    return {};
}

Result<bool> Draft::publish_as_new(const std::string& name) {
    if (auto synced = sync(); !synced) return synced.error();
    if (::linkat(folder_.get(), made_as_.c_str(), folder_.get(), name.c_str(), 0) != 0) {
        if (errno == EEXIST) return false;
        return fail_errno(errno, "cannot create " + name);
    }
    ::unlinkat(folder_.get(), made_as_.c_str(), 0);
    made_as_.clear();
    sync_folder();
    return true;
}

Result<void> replace_file(const std::string& path, std::string_view content, mode_t mode) {
    auto draft = Draft::beside(path, mode);
    if (!draft) return draft.error();
    if (auto written = write_all(draft->fd(), content, path); !written) return written;
    return draft->publish();
}

Result<void> sync_file_system_of(const std::string& folder) {
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && is_synced(::syncfs(fd.get()))) return {};
    return fail_errno(errno, "cannot write " + folder + " to the disk");
}

}  // namespace ringside::base
