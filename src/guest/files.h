// Whole files, locks and temporary directories: what the guest room needs of the file system.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::guest {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path);
// Truncates or creates with mode 0644.
Result<void> write_file(const fs::path& path, std::string_view content);
Result<void> append_file(const fs::path& from, const base::Fd& to);
Result<void> make_directories(const fs::path& path);

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// A name for what `key` describes: 64 bits of FNV-1a in hexadecimal. For the cache, not for trust.
std::string short_hash(std::string_view key);

// Held until destroyed, and by the kernel no longer than the process lives. Blocks while another
// process holds it.
class FileLock {
  public:
    static Result<FileLock> take(const fs::path& path);

  private:
    explicit FileLock(base::Fd fd) : fd_(std::move(fd)) {}
    base::Fd fd_;
};

// Removed with all it holds when destroyed.
class TempDir {
  public:
    static Result<TempDir> make(std::string_view name);
    TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TempDir& operator=(TempDir&&) = delete;
    ~TempDir();

    const fs::path& path() const { return path_; }

  private:
    explicit TempDir(fs::path path) : path_(std::move(path)) {}
    fs::path path_;
};

// Where all that is downloaded or built for boxes lies: $RINGSIDE_CACHE, or ringside below
// $XDG_CACHE_HOME, or ~/.cache/ringside.
Result<fs::path> cache_directory();

}  // namespace ringside::guest
