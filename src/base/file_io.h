// Opening what is a file, and writing that is whole or an error.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

#include "base/fd.h"

namespace ringside::base {

// For reading. What is no regular file is not even opened: that alone may block, as with a pipe, or
// do something, as with a watchdog.
Result<Fd> open_regular(const std::string& path);

// All of `bytes`; the error names `name`, as in "a.json" or "standard output".
Result<void> write_all(int fd, std::string_view bytes, const std::string& name);

// The file holds all of `content` (mode 0644) or is what it was: written beside it, then renamed.
Result<void> replace_file(const std::string& path, std::string_view content);

}  // namespace ringside::base
