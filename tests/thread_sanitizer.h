// What ThreadSanitizer changes about a process, for tests that would see it.
#pragma once

namespace ringside::sanitizer {

#if defined(__SANITIZE_THREAD__)
constexpr bool thread = true;
#else
constexpr bool thread = false;
#endif

constexpr const char* adds_threads = "ThreadSanitizer has a thread of its own in every process";

}  // namespace ringside::sanitizer
