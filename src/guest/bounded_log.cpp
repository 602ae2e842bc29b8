#include "guest/bounded_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_io.h"

namespace ringside::guest {

Result<BoundedLog> BoundedLog::make(const fs::path& path, std::uint64_t most_bytes) {
    base::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd) return base::fail_errno(errno, "cannot create " + path.string());
    return BoundedLog(std::move(fd), most_bytes);
}

// Half of it at once, so that a byte is moved once on the average.
void BoundedLog::drop_first_half() {
    std::string kept(bytes_ / 2, '\0');
    const auto got =
        ::pread(fd_.get(), kept.data(), kept.size(), static_cast<off_t>(bytes_ - kept.size()));
    kept.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) return;
    bytes_ = 0;
    write(kept);
}

// A log that cannot be written, on a full disk, is shorter.
void BoundedLog::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto piece = bytes.substr(0, std::max<std::uint64_t>(most_bytes_ / 2, 1));
        if (bytes_ + piece.size() > most_bytes_) drop_first_half();
        [[maybe_unused]] const auto written = base::write_all(fd_.get(), piece, "a log");
        bytes_ += piece.size();
        bytes.remove_prefix(piece.size());
    }
}

}  // namespace ringside::guest
