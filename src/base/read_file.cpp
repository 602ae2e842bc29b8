#include "base/read_file.h"

#include <cerrno>
#include <cstdint>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"

namespace ringside::base {

Result<std::string> read_file(const std::string& path) {
    const auto fd = open_regular(path);
    if (!fd) return fd.error();
    struct stat status {};
    if (::fstat(fd->get(), &status) != 0) return fail_errno(errno, "cannot look at " + path);
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t filled = 0;
    while (filled < content.size()) {
        const ssize_t got = ::read(fd->get(), content.data() + filled, content.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(errno, "cannot read " + path);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    content.resize(filled);
    return content;
}

std::string short_hash(std::string_view key) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return fmt::format("{:016x}", hash);
}

}  // namespace ringside::base
