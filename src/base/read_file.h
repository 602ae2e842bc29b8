// A whole file as text, and a name for what it holds.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

namespace ringside::base {

// All of a regular file.
Result<std::string> read_file(const std::string& path);

// A name for what `key` holds: 64 bits of FNV-1a in hexadecimal. To tell apart, not for trust.
std::string short_hash(std::string_view key);

}  // namespace ringside::base
