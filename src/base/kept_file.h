// A small file of /proc or /sys that is read again and again: kept open, so that a reading is one
// system call.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"

namespace ringside::base {

class KeptFile {
  public:
    KeptFile(const SysRoot& root, std::string_view path)
        : name_(path), place_(root.locate(path)), text_(128, '\0') {}

    // The whole file, valid until the next reading. One that is gone is opened anew, because a
    // device may have come back under its name; so is one of debugfs, whose files can be read once
    // only. Allocates only when the file has grown.
    Result<std::string_view> read();

  private:
    Result<std::string_view> read_again();  // from the start
    Result<std::string_view> read_on();     // to the end

    std::string name_;
    std::string place_;
    Fd file_;
    std::string text_;
};

}  // namespace ringside::base
