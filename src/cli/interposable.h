// Whether the io interposer can be put into a command, and how.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/scratch_dir.h"

namespace ringside::cli {

// Why the interposer would not see what `program` does, for instance "it is statically linked";
// nullopt if it would, or if there is no such program, which running it will show.
std::optional<std::string> not_interposable(const std::string& program);

// A folder for the tables of a command's processes; removed with all in it.
class TableFolder {
  public:
    static Result<TableFolder> make();

    const std::string& path() const { return folder_.path().native(); }
    // What the command's environment needs: LD_PRELOAD, after which what is there already comes,
    // and this folder.
    Result<std::vector<std::string>> environment() const;

  private:
    explicit TableFolder(base::ScratchDir folder) : folder_(std::move(folder)) {}
    base::ScratchDir folder_;
};

}  // namespace ringside::cli
