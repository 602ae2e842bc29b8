// What of this machine a guest is lent that sees its files: which of them, and which variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guest/files.h"

namespace ringside::guest {

struct ShareWish {
    std::vector<std::string> command;  // the files and programs that its words name
    std::string directory;             // where it runs
    std::vector<std::string> more;     // all of these
};

// What belongs to people. Of a home as a whole its hidden files, which hold keys and the like, are
// never lent, and of a folder with homes in it the homes are not.
class Homes {
  public:
    explicit Homes(std::vector<fs::path> folders) : folders_(std::move(folders)) {}
    // $HOME and those of /etc/passwd.
    static Homes of_this_machine();

    bool has(const fs::path& folder) const;
    bool any_below(const fs::path& folder) const;

  private:
    std::vector<fs::path> folders_;
};

// The paths there are, each to be lent with all below it: those of data/guest/shared_files.csv, and
// what was wished.
std::vector<fs::path> shared_files(const ShareWish& wish, const Homes& homes);

// What of `folder` and below it every user may read, in as few paths as possible.
std::vector<fs::path> public_files(const fs::path& folder);

// What there is, by a pattern of glob(7).
std::vector<std::string> paths_like(const std::string& pattern);

struct SharedVariables {
    std::vector<std::string> kept;      // "NAME=value"
    std::vector<std::string> left_out;  // names
};

// By data/guest/shared_variables.csv, and patterns of fnmatch(3) or names in `more`.
SharedVariables shared_variables(const std::vector<std::string>& environment,
                                 const std::vector<std::string>& more);

}  // namespace ringside::guest
