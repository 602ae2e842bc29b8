// An assertion that stays on in release builds: for our own bugs, never for the outside world.
#pragma once

namespace ringside::base {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace ringside::base

#define RINGSIDE_ASSERT(condition) \
    ((condition) ? void(0) : ::ringside::base::assertion_failed(#condition, __FILE__, __LINE__))
