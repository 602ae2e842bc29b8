// What belongs to the command: files that were built or installed with it, and folders it makes for
// the time of a measurement.
#pragma once

#include <string>
#include <utility>

#include <ringside/result.h>

namespace ringside::cli {

// The path of this command.
Result<std::string> own_program();

// The folder `name` that holds `file`: beside this command as built, or as installed.
Result<std::string> find_own_folder(const std::string& name, const std::string& file);

// In memory, not on a disk, for what is written all the time; removed with all in it.
class MemoryFolder {
  public:
    // `kind` is a part of its name.
    static Result<MemoryFolder> make(const std::string& kind);
    MemoryFolder(MemoryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    MemoryFolder& operator=(MemoryFolder&&) = delete;
    ~MemoryFolder();

    const std::string& path() const { return path_; }

  private:
    explicit MemoryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace ringside::cli
