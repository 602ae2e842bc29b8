// A folder for as long as something is measured or built; only this user can look into it.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include <ringside/result.h>

namespace ringside::base {

// Removed with all it holds when destroyed.
class ScratchDir {
  public:
    // NAME.XXXXXX where temporary files go, or in memory, for what is written all the time.
    static Result<ScratchDir> make(std::string_view name);
    static Result<ScratchDir> make_in_memory(std::string_view name);
    ScratchDir(ScratchDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ScratchDir& operator=(ScratchDir&&) = delete;
    ~ScratchDir();

    const std::filesystem::path& path() const { return path_; }

  private:
    explicit ScratchDir(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

}  // namespace ringside::base
