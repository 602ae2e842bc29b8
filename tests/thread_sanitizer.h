// What ThreadSanitizer changes about a process, for tests that would see it.
#pragma once

namespace ringside::sanitizer {

#if defined(__SANITIZE_THREAD__)
constexpr bool thread = true;
#else
constexpr bool thread = false;
#endif

constexpr const char* adds_threads = "ThreadSanitizer has a thread of its own in every process";

constexpr const char* no_memory_in_handlers =
    "ThreadSanitizer refuses a signal handler that allocates, as this one's calls do";

}  // namespace ringside::sanitizer
