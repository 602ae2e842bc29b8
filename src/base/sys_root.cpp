#include "base/sys_root.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/own_calls.h"
#include "base/text.h"

namespace ringside::base {

SysRoot::SysRoot(std::string prefix) : prefix_(std::move(prefix)) {
    while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
}

std::string SysRoot::locate(std::string_view path) const {
    return prefix_ + std::string(path);
}

bool SysRoot::exists(std::string_view path) const {
    return ::access(locate(path).c_str(), F_OK) == 0;
}

Result<std::string> SysRoot::read(std::string_view path, std::size_t limit_bytes) const {
    const OwnCalls own;
    const std::string where = locate(path);
    Fd fd(::open(where.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd) return fail_errno(errno, "cannot open " + where);
    std::string text;
    std::array<char, 16384> chunk;
    while (text.size() < limit_bytes) {
        const std::size_t want = std::min(chunk.size(), limit_bytes - text.size());
        const ssize_t got = ::read(fd.get(), chunk.data(), want);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(errno, "cannot read " + where);
        if (got == 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return text;
}

Result<std::string> SysRoot::read_trimmed(std::string_view path) const {
    auto text = read(path);
    if (!text) return text;
    return std::string(trim_end(*text));
}

Result<std::vector<std::string>> SysRoot::list(std::string_view path) const {
    const std::string where = locate(path);
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(where.c_str()), ::closedir);
    if (!dir) return fail_errno(errno, "cannot list " + where);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::string> SysRoot::read_link(std::string_view path) const {
    const std::string where = locate(path);
    std::array<char, PATH_MAX> target;
    const ssize_t length = ::readlink(where.c_str(), target.data(), target.size());
    if (length < 0) return fail_errno(errno, "cannot read the link " + where);
    return std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace ringside::base
