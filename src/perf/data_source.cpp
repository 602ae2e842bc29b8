#include "perf/data_source.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"

namespace ringside::perf {

namespace {

Error read_error(const DataSource& source, std::uint64_t offset) {
    return base::fail_errno(errno, fmt::format("read {} at offset {}", source.name, offset));
}

// As many of `size` bytes at `offset` as there are.
Result<void> read_at(const DataSource& source, std::uint64_t offset, std::uint64_t size,
                     std::vector<std::byte>& out) {
    out.resize(static_cast<std::size_t>(size));
    std::size_t got = 0;
    while (got < out.size()) {
        const ssize_t more = ::pread(source.fd.get(), out.data() + got, out.size() - got,
                                     static_cast<off_t>(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return read_error(source, offset + got);
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    out.resize(got);
    return {};
}

}  // namespace

Result<std::span<const std::byte>> view(const DataSource& source, std::uint64_t offset,
                                        std::uint64_t size, std::vector<std::byte>& buffer) {
    if (source.in_memory()) {
        const std::span<const std::byte> all(source.memory);
        const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
        return all.subspan(
            from, static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size() - from)));
    }
    const std::uint64_t there = source.whole_size - std::min(offset, source.whole_size);
    if (auto done = read_at(source, offset, std::min(size, there), buffer); !done)
        return done.error();
    return std::span<const std::byte>(buffer);
}

Result<DataSource> open_source(const std::string& path) {
    DataSource source;
    source.name = path;
    auto fd = base::open_regular(path);
    if (!fd) return fd.error();
    source.fd = std::move(*fd);
    struct stat status {};
    if (::fstat(source.fd.get(), &status) != 0) return base::fail_errno(errno, "open " + path);
    source.size = source.whole_size = static_cast<std::uint64_t>(status.st_size);
    return source;
}

Result<DataSource> slurp(int fd, std::string name) {
    constexpr std::size_t step_bytes = 4u << 20;
    DataSource source;
    source.name = std::move(name);
    std::size_t used = 0;
    while (true) {
        if (source.memory.size() - used < step_bytes)
            source.memory.resize(std::max<std::size_t>(2 * used, 2 * step_bytes));
        const ssize_t more = ::read(fd, source.memory.data() + used, source.memory.size() - used);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return read_error(source, used);
        if (more == 0) break;
        used += static_cast<std::size_t>(more);
    }
    source.memory.resize(used);
    source.size = used;
    return source;
}

std::string describe_damage(const DataSource& source, std::uint64_t at, std::uint64_t end,
                            const std::optional<std::uint64_t>& expected_bytes) {
    constexpr std::uint64_t least_bytes = 8;
    if (expected_bytes == std::uint64_t{0})
        return fmt::format(
            "{}: offset {}: expected a record of at least {} bytes; the {} bytes from here on are "
            "not read",
            source.name, at, least_bytes, end - at);
    return fmt::format(
        "{}: offset {}: the last record is cut short: {} bytes expected, {} are there", source.name,
        at, expected_bytes.value_or(least_bytes), end - at);
}

}  // namespace ringside::perf
