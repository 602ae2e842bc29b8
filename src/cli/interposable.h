// Whether the io interposer can be put into a command, and how.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

namespace ringside::cli {

// Why the interposer would not see what `program` does, for instance "it is statically linked";
// nullopt if it would, or if there is no such program, which running it will show.
std::optional<std::string> not_interposable(const std::string& program);

// The folder that holds $LIB/libringside-io.so: beside this command as built, or as installed.
Result<std::string> interposer_folder();

// A folder for the tables of a command's processes; removed with all in it.
class TableFolder {
  public:
    static Result<TableFolder> make();
    TableFolder(TableFolder&& other) noexcept : path_(std::move(other.path_)) {
        other.path_.clear();
    }
    TableFolder& operator=(TableFolder&&) = delete;
    ~TableFolder();

    const std::string& path() const { return path_; }
    // What the command's environment needs: LD_PRELOAD, after which what is there already comes,
    // and this folder.
    Result<std::vector<std::string>> environment() const;

  private:
    explicit TableFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace ringside::cli
