#include "base/scratch_dir.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::base {

namespace {

namespace fs = std::filesystem;

Fd open_folder(const fs::path& path) {
    return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool lock(const Fd& folder, int how) {
    int done = 0;
    do {
        done = ::flock(folder.get(), LOCK_EX | how);
    } while (done != 0 && errno == EINTR);
    return done == 0;
}

// Another user can make a folder of such a name in /tmp, but none that is ours, and cannot put
// another in the place of one of ours. What is locked is in use. It stays locked while it is
// removed, so that whoever has just made it and waits for the lock learns that it is gone.
void remove_if_abandoned(const fs::path& path) {
    const Fd folder = open_folder(path);
    struct stat status {};
    if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) return;
    if (!lock(folder, LOCK_NB)) return;
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

// "ringside-box@AbCdEf"
bool is_name_of_ours(std::string_view name) {
    constexpr std::size_t chance = std::string_view("@XXXXXX").size();
    return name.starts_with("ringside-") && name.size() > chance &&
           name[name.size() - chance] == '@';
}

void remove_abandoned(const fs::path& parent) {
    std::error_code error;
    fs::directory_iterator entry(parent, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (is_name_of_ours(entry->path().filename().string())) remove_if_abandoned(entry->path());
    }
}

bool is_there(const Fd& folder) {
    struct stat status {};
    return ::fstat(folder.get(), &status) == 0 && status.st_nlink > 0;
}

}  // namespace

Result<ScratchDir> ScratchDir::make(std::string_view name) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) return fail_errno(error.value(), "no directory for temporary files");
    return make_below(parent, name);
}

Result<ScratchDir> ScratchDir::make_in_memory(std::string_view name) {
    auto made = make_below("/dev/shm", name);
    return made ? std::move(made) : make_below("/tmp", name);
}

// With mode 0700, under a name that nobody can guess.
Result<ScratchDir> ScratchDir::make_below(const fs::path& parent, std::string_view name) {
    remove_abandoned(parent);
    // Another of us may take it for abandoned before it is locked, again and again only by a
    // wonder.
    for (int tries = 0; tries < 100; ++tries) {
        std::string path = (parent / std::string(name)).string() + "@XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) return fail_errno(errno, "cannot create " + path);
        Fd folder = open_folder(path);
        if (folder && !lock(folder, 0)) return fail_errno(errno, "cannot lock " + path);
        if (folder && is_there(folder)) return ScratchDir(path, std::move(folder));
    }
    return fail(ErrorCode::io, "cannot keep a folder in " + parent.string());
}

ScratchDir::~ScratchDir() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ringside::base
