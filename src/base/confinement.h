// What a child gives up before its program runs, for good: neither it nor what it starts gains a
// right again, by a set-user-ID program or in any other way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::base {

// Which files can be opened, whatever the user may: Landlock (landlock(7), Linux 5.13). What lies
// beyond cannot be read, written, executed or listed, nor a process outside be traced. It can be
// seen to be there (stat), and a descriptor that is open already stays what it is.
class FileRules {
  public:
    // Fails with `unsupported` where the kernel has no Landlock, or has it switched off.
    static Result<FileRules> make();

    // A file, or a folder with all below it. One that is not there, or that we cannot reach, is no
    // error: it grants nothing.
    Result<void> allow_reading(const std::string& path) const;
    Result<void> allow_listing(const std::string& folder) const;
    // Of what is there: a file, or a device.
    Result<void> allow_writing(const std::string& path) const;
    // Of an open file, or in an open folder: regular files, no links.
    Result<void> allow_reading(const Fd& file) const;
    Result<void> allow_files_in(const Fd& folder) const;

    int fd() const { return ruleset_.get(); }

  private:
    explicit FileRules(Fd ruleset) : ruleset_(std::move(ruleset)) {}
    Result<void> allow(int fd, std::uint64_t access, const std::string& name) const;
    Result<void> allow_path(const std::string& path, std::uint64_t access) const;

    Fd ruleset_;
};

struct LesserUser {
    uid_t uid = 0;
    gid_t gid = 0;
    std::optional<gid_t> group;            // its only other one
    std::optional<int> kept_capability{};  // the only one that its program has
};

// Whether we can become another user. Root in a container may be unable to.
bool can_change_user();
bool has_capability(int capability);

struct Confinement {
    std::optional<LesserUser> user;
    int file_rules = -1;
    bool reads_own_maps = false;  // /proc/self/maps, beside what the rules allow
};

// Between fork and exec: only async-signal-safe calls. False, with errno, if anything could not be
// given up.
bool confine(const Confinement& confinement);

}  // namespace ringside::base
