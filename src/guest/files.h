// Whole files and locks: what the guest room needs of the file system.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/read_file.h"

namespace ringside::guest {

namespace fs = std::filesystem;

using base::read_file;
using base::short_hash;
// Truncates or creates with mode 0644.
Result<void> write_file(const fs::path& path, std::string_view content);
Result<void> append_file(const fs::path& from, const base::Fd& to);
Result<void> make_directories(const fs::path& path);

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// Held until destroyed, and by the kernel no longer than the process lives. Blocks while another
// process holds it.
class FileLock {
  public:
    static Result<FileLock> take(const fs::path& path);

  private:
    explicit FileLock(base::Fd fd) : fd_(std::move(fd)) {}
    base::Fd fd_;
};

// Where all that is downloaded or built for boxes lies: $RINGSIDE_CACHE, or ringside below
// $XDG_CACHE_HOME, or ~/.cache/ringside.
Result<fs::path> cache_directory();

}  // namespace ringside::guest
