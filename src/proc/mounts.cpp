#include "proc/mounts.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ringside::proc {

namespace {

std::string below(std::string_view folder, std::string_view path) {
    return std::string(folder) + (path.starts_with('/') ? "" : "/") + std::string(path);
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    for (const auto line : base::split_lines(text)) {
        const auto words = base::split_words(line);
        if (words.size() < 6) continue;
        // Optional fields end with a lone "-"; after it come type, source and options.
        const auto dash = std::find(words.begin() + 5, words.end(), "-");
        if (words.end() - dash < 4) continue;
        mounts.push_back({std::string(words[3]), std::string(words[4]), std::string(dash[1]),
                          std::string(dash[2]), std::string(dash[3])});
    }
    return mounts;
}

std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view point) {
    std::optional<Mount> found;
    for (auto& mount : parse_mountinfo(mountinfo)) {
        if (mount.point == point) found = std::move(mount);
    }
    return found;
}

std::string tracefs_folder(const base::SysRoot& root) {
    constexpr std::array places{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    const auto events_in = [](const char* place) { return std::string(place) + "/events"; };
    for (const char* place : places) {
        if (root.exists(events_in(place))) return place;
    }
    for (const char* place : places) {
        const auto listed = root.list(events_in(place));
        if (!listed && listed.error().code == ErrorCode::not_permitted) return place;
    }
    return places.front();
}

std::vector<std::string> cgroup_folders(std::string_view path) {
    return {below("/sys/fs/cgroup/unified", path), below("/sys/fs/cgroup", path)};
}

std::string cgroup_v1_folder(std::string_view controller, std::string_view path) {
    return below("/sys/fs/cgroup/" + std::string(controller), path);
}

std::vector<std::string> parse_cgroup_paths(std::string_view text) {
    std::vector<std::string> paths;
    for (const auto line : base::split_lines(text)) {
        const auto second = line.find(':', line.find(':') + 1);
        if (line.find(':') == std::string_view::npos || second == std::string_view::npos) continue;
        const auto path = base::trim(line.substr(second + 1));
        if (!path.empty() && path != "/") paths.emplace_back(path);
    }
    return paths;
}

}  // namespace ringside::proc
