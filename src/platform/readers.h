// Reading one file into one Fact.
#pragma once

#include <string>
#include <string_view>

#include "base/sys_root.h"
#include "platform/fact.h"

namespace ringside::platform {

// No byte below blank, except tabs: what a kernel writes into a one-line file.
bool printable(std::string_view text);

// `text` made safe to print as evidence: one line, no control bytes, at most 160 characters.
std::string shown(std::string_view text);

// One line of text. Unknown when the file cannot be read, is empty or is not printable.
Fact<std::string> read_line(const base::SysRoot& root, const std::string& path);
// One decimal number.
Fact<int> read_int(const base::SysRoot& root, const std::string& path);
// A module parameter or sysctl: "Y"/"N" or "1"/"0".
Fact<bool> read_switch(const base::SysRoot& root, const std::string& path);

}  // namespace ringside::platform
