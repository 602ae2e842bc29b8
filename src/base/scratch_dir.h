// A folder for as long as something is measured or built; only this user can look into it. If we
// are killed, the next of us that makes one in the same place removes it.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::base {

// Removed with all it holds when destroyed.
class ScratchDir {
  public:
    // NAME@XXXXXX where temporary files go, or in memory, for what is written all the time. Whose
    // name begins with "ringside-" is known as ours when it is left behind.
    static Result<ScratchDir> make(std::string_view name);
    static Result<ScratchDir> make_in_memory(std::string_view name);
    static Result<ScratchDir> make_below(const std::filesystem::path& parent,
                                         std::string_view name);
    ScratchDir(ScratchDir&& other) noexcept
        : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
    ScratchDir& operator=(ScratchDir&&) = delete;
    ~ScratchDir();

    const std::filesystem::path& path() const { return path_; }

  private:
    ScratchDir(std::filesystem::path path, Fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}
    std::filesystem::path path_;
    Fd lock_;  // on the folder itself; the kernel drops it with us, however we end
};

}  // namespace ringside::base
