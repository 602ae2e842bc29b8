// A file of /sys or /proc that holds one number, kept open: reading it is one system call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/sys_root.h"

namespace ringside::components {

class NumberFile {
  public:
    NumberFile(const base::SysRoot& root, std::string_view path) : path_(root.locate(path)) {}

    // nullopt when the file is gone or holds no number. A file that came back, because its device
    // did, is opened anew. Does not allocate.
    std::optional<std::uint64_t> read();

  private:
    std::optional<std::uint64_t> read_open() const;

    std::string path_;
    base::Fd file_;
};

}  // namespace ringside::components
