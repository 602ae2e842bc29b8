// C++ names as people write them: without parameters, as perf shows them.
#pragma once

#include <string>
#include <string_view>

namespace ringside::symbols {

// A name that is not mangled comes back as it is.
std::string demangle(std::string_view name);

}  // namespace ringside::symbols
