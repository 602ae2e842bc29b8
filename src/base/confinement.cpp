#include "base/confinement.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/error.h"

namespace ringside::base {

namespace {

constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

// All rights of Landlock's first version, which every later one has.
constexpr std::uint64_t first_rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t refer = std::uint64_t{1} << 13;     // version 2
constexpr std::uint64_t truncate = std::uint64_t{1} << 14;  // version 3
constexpr std::uint64_t file_rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                      LANDLOCK_ACCESS_FS_READ_FILE | truncate;

long landlock_version() {
    return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

std::uint64_t handled_rights() {
    const long version = landlock_version();
    return first_rights | (version >= 2 ? refer : 0) | (version >= 3 ? truncate : 0);
}

bool add_rule(int ruleset, int fd, std::uint64_t access) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = fd;
    return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

struct Capabilities {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
};

// A capability that is not in the bounding set cannot come back when root executes a program.
bool bound_capabilities(int kept) {
    for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
        if (capability != kept && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return false;
    }
    return true;
}

bool keep_capability(int kept) {
    Capabilities none;
    if (kept >= 0) {
        auto& set = none.sets[kept / 32];
        set.permitted = set.effective = set.inheritable = 1u << (kept % 32);
    }
    if (::syscall(SYS_capset, &none.header, none.sets) != 0) return false;
    return kept < 0 || ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept, 0, 0) == 0;
}

// By system calls: libc's functions would signal threads that are not in this child.
bool become_user(const LesserUser& user) {
    const int kept = user.kept_capability.value_or(-1);
    const gid_t group = user.group.value_or(0);
    return bound_capabilities(kept) && ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_setgroups, user.group ? 1 : 0, &group) == 0 &&
           ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
           ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0 && keep_capability(kept);
}

bool allow_own_maps(int ruleset) {
    const int maps = ::open("/proc/self/maps", O_PATH | O_CLOEXEC);
    return maps >= 0 && add_rule(ruleset, maps, LANDLOCK_ACCESS_FS_READ_FILE);
}

}  // namespace

Result<FileRules> FileRules::make() {
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = handled_rights();
    Fd ruleset(
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
    if (!ruleset) {
        Error error = fail_errno(errno, "this kernel confines no program to files (Landlock)");
        error.code = ErrorCode::unsupported;
        return error;
    }
    return FileRules(std::move(ruleset));
}

Result<void> FileRules::allow(int fd, std::uint64_t access, const std::string& name) const {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return fail_errno(errno, "cannot look at " + name);
    // The kernel refuses a right of folders on a file, and one that it does not handle.
    if (!S_ISDIR(status.st_mode)) access &= file_rights;
    if (add_rule(ruleset_.get(), fd, access & handled_rights())) return {};
    return fail_errno(errno, "cannot allow the use of " + name);
}

Result<void> FileRules::allow_path(const std::string& path, std::uint64_t access) const {
    const Fd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
    return fd ? allow(fd.get(), access, path) : Result<void>();
}

Result<void> FileRules::allow_reading(const std::string& path) const {
    return allow_path(path, reading);
}

Result<void> FileRules::allow_listing(const std::string& folder) const {
    return allow_path(folder, LANDLOCK_ACCESS_FS_READ_DIR);
}

Result<void> FileRules::allow_writing(const std::string& path) const {
    return allow_path(path, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
}

Result<void> FileRules::allow_reading(const Fd& file) const {
    return allow(file.get(), reading, "an open file");
}

Result<void> FileRules::allow_files_in(const Fd& folder) const {
    return allow(folder.get(),
                 LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                     LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                     LANDLOCK_ACCESS_FS_REMOVE_FILE | truncate,
                 "an open folder");
}

bool has_capability(int capability) {
    Capabilities ours;
    if (::syscall(SYS_capget, &ours.header, ours.sets) != 0) return false;
    return (ours.sets[capability / 32].effective >> (capability % 32) & 1u) != 0;
}

bool can_change_user() {
    return has_capability(CAP_SETUID) && has_capability(CAP_SETGID) && has_capability(CAP_SETPCAP);
}

bool confine(const Confinement& confinement) {
    const auto& [user, rules, reads_own_maps] = confinement;
    if (user && !become_user(*user)) return false;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    if (rules < 0) return true;
    if (reads_own_maps && !allow_own_maps(rules)) return false;
    return ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

}  // namespace ringside::base
