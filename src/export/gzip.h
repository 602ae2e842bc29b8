// One gzip file from memory to memory.
#pragma once

#include <string>
#include <string_view>

#include <ringside/result.h>

namespace ringside::exports {

Result<std::string> gzip(std::string_view bytes);

}  // namespace ringside::exports
