// C++ names as people write them: without parameters, as perf shows them.
#pragma once

#include <string>
#include <string_view>

namespace ringside::profile {

// A name that is not mangled, or whose text nobody could read, comes back as it is.
std::string demangle(std::string_view name);

}  // namespace ringside::profile
