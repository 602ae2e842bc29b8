#include "guest/rights.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/embedded.h"
#include "base/error.h"
#include "base/file_io.h"
#include "base/process.h"
#include "guest/shared_files.h"

namespace ringside::guest {

namespace {

// Debian's `nobody` and `nogroup`. That others run as it, too, helps nobody: Landlock keeps QEMU
// from their processes, and its capability or its rules them from it.
constexpr uid_t nobody = 65534;
constexpr gid_t nogroup = 65534;

// Whoever may use KVM's device: its group, or everyone. Where root alone may, it is root without a
// capability, who owns the device and what else is root's.
void let_use(const std::string& kvm, base::LesserUser& user) {
    struct stat device {};
    if (::stat(kvm.c_str(), &device) != 0) return;
    const bool everyone = (device.st_mode & S_IROTH) != 0 && (device.st_mode & S_IWOTH) != 0;
    const bool group = (device.st_mode & S_IRGRP) != 0 && (device.st_mode & S_IWGRP) != 0;
    if (everyone) return;
    if (group && device.st_gid != 0) {
        user.group = device.st_gid;
    } else {
        user.uid = 0;
    }
}

std::optional<base::LesserUser> choose_user(const RightsWish& wish) {
    if (::geteuid() != 0 || !base::can_change_user()) return std::nullopt;
    base::LesserUser user{nobody, nogroup, {}, {}};
    if (!wish.kvm.empty()) let_use(wish.kvm, user);
    if (!wish.shared) return user;
    // What is shared may be closed to all but root. The rules confine this right, and what writes
    // there is not in them: where a container has only the right to do both, it is the same.
    for (const int capability : {CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE}) {
        if (!user.kept_capability && base::has_capability(capability)) {
            user.kept_capability = capability;
        }
    }
    return user;
}

// Whether there is nothing to keep from the guest, so that it can do without rules.
bool shares_all(const RightsWish& wish) {
    return !wish.shared ||
           std::find(wish.shared->begin(), wish.shared->end(), "/") != wish.shared->end();
}

// Which every user may read, because QEMU is one of them and opens it anew.
Result<base::Fd> readable_copy(const base::Fd& file, const fs::path& path,
                               const fs::path& directory) {
    std::string copy = (directory / "lent.XXXXXX").string();
    const base::Fd to(::mkostemp(copy.data(), O_CLOEXEC));
    if (!to) return base::fail_errno(errno, "cannot create " + copy);
    if (auto done = append_file(lent_file(file.get()), to); !done) return done.error();
    if (::fchmod(to.get(), 0444) != 0)
        return base::fail_errno(errno, "cannot lend " + path.string());
    base::Fd again(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
    if (!again) return base::fail_errno(errno, "cannot open " + copy);
    return again;
}

}  // namespace

Result<void> Rights::allow_files_of_qemu(const std::string& qemu, const std::string& kvm) const {
    const auto table = base::embedded_file("guest/qemu_files.csv");
    RINGSIDE_ASSERT(table.has_value());
    for (const auto& row : base::parse_csv(*table)) {
        RINGSIDE_ASSERT(row.size() == 2);
        if (row[0] == "path") continue;
        for (const auto& path : paths_like(row[0])) {
            auto done =
                row[1] == "write" ? rules_->allow_writing(path) : rules_->allow_reading(path);
            if (!done) return done;
        }
    }
    if (!kvm.empty()) {
        if (auto done = rules_->allow_writing(kvm); !done) return done;
    }
    return rules_->allow_reading(qemu);
}

Result<Rights> Rights::make(std::string& qemu, const RightsWish& wish) {
    auto program = base::find_executable(qemu);
    if (!program) {
        return base::fail(ErrorCode::not_found, "there is no " + qemu,
                          "install Debian's qemu-system-x86 and qemu-system-arm");
    }
    qemu = std::move(*program);
    Rights rights;
    rights.reads_own_maps_ = wish.reads_own_maps;
    rights.user_ = choose_user(wish);
    auto rules = base::FileRules::make();
    if (!rules && !shares_all(wish)) {
        Error error = rules.error();
        error.what = "a guest could not be kept from files that are not for it: " + error.what;
        error.hint = "lend it all files of this machine, secrets included, with --share /";
        return error;
    }
    if (!rules) return rights;
    rights.rules_ = std::move(*rules);
    if (auto done = rights.allow_files_of_qemu(qemu, wish.kvm); !done) return done.error();
    if (!wish.shared) return rights;
    // Of names there is no secret, and `ls /` should work.
    if (auto done = rights.rules_->allow_listing("/"); !done) return done.error();
    for (const auto& path : *wish.shared) {
        if (auto done = rights.rules_->allow_reading(path.string()); !done) return done.error();
    }
    return rights;
}

Result<std::string> Rights::lend(const fs::path& file, const fs::path& directory) {
    auto opened = base::open_regular(file);
    if (!opened) return opened.error();
    base::Fd fd = std::move(*opened);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) {
        return base::fail_errno(errno, "cannot look at " + file.string());
    }
    if (user_ && (status.st_mode & S_IROTH) == 0) {
        auto copy = readable_copy(fd, file, directory);
        if (!copy) return copy.error();
        fd = std::move(*copy);
    }
    if (rules_) {
        if (auto done = rules_->allow_reading(fd); !done) return done.error();
    }
    lent_.push_back(std::move(fd));
    return lent_file(lent_.back().get());
}

Result<std::string> Rights::lend_folder(const fs::path& folder) {
    base::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + folder.string());
    if (user_ && ::fchown(fd.get(), user_->uid, user_->gid) != 0) {
        return base::fail_errno(errno, "cannot lend " + folder.string());
    }
    if (rules_) {
        if (auto done = rules_->allow_files_in(fd); !done) return done.error();
    }
    lent_.push_back(std::move(fd));
    return lent_file(lent_.back().get());
}

base::Confinement Rights::confinement() const {
    base::Confinement confinement;
    confinement.user = user_;
    if (rules_) confinement.file_rules = rules_->fd();
    confinement.reads_own_maps = reads_own_maps_;
    return confinement;
}

std::vector<int> Rights::fds() const {
    std::vector<int> fds;
    for (const auto& fd : lent_) fds.push_back(fd.get());
    return fds;
}

}  // namespace ringside::guest
