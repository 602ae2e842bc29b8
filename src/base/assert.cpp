#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace ringside::base {

void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "ringside: internal error: %s is false at %s:%d; please report this\n",
                 condition, file, line);
    std::abort();
}

}  // namespace ringside::base
