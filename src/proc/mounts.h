// What is mounted where: /proc/PID/mountinfo, and the file systems of the kernel that we read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys_root.h"

namespace ringside::proc {

// proc(5), /proc/PID/mountinfo. Blanks in a path are written "\040" there, and here.
struct Mount {
    std::string root;     // the part of the file system that is mounted
    std::string point;    // where
    std::string type;     // "overlay", "ext4"
    std::string source;   // "/dev/vda"
    std::string options;  // of the file system: "rw,lowerdir=..."
};
std::vector<Mount> parse_mountinfo(std::string_view text);
// What is seen at `point`: the last one there, since mounts stack.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view point);

// Where tracefs is: at its own place, or below debugfs, which mounts it when somebody looks. If it
// is seen at neither, the one that this user may not look into, so that reading it says why; else
// its own place.
std::string tracefs_folder(const base::SysRoot& root);

// Where the cgroup `path` ("/machine.slice", as below /sys/fs/cgroup) may have its folder: in the
// hierarchy of version 2, which lies beside those of version 1 or is all there is.
std::vector<std::string> cgroup_folders(std::string_view path);
// In version 1, each controller has a hierarchy of its own.
std::string cgroup_v1_folder(std::string_view controller, std::string_view path);

// The paths in /proc/PID/cgroup, of either version, without those that are the root.
std::vector<std::string> parse_cgroup_paths(std::string_view text);

}  // namespace ringside::proc
