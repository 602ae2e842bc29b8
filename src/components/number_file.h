// A file of /sys or /proc that holds one number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/kept_file.h"

namespace ringside::components {

class NumberFile {
  public:
    NumberFile(const base::SysRoot& root, std::string_view path) : file_(root, path) {}

    // nullopt when the file is gone or holds something else.
    std::optional<std::uint64_t> read();

  private:
    base::KeptFile file_;
};

}  // namespace ringside::components
