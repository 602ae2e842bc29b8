// What tests of live event sets share: work whose counts a second witness knows.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ringside/event_set.h>

#include "base/mmap.h"

namespace ringside::components {

inline void touch_pages(std::size_t pages) {
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const base::Mmap memory(::mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                            pages * page_bytes);
    ::madvise(memory.data(), memory.size_bytes(), MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) memory.data()[i * page_bytes] = std::byte{1};
}

// The kernel's own accounting of this thread.
inline std::int64_t faults_so_far() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

inline std::string why(const Result<void>& done) {
    return done ? "" : done.error().what + " / " + done.error().hint;
}

// Software events in user mode need no privilege; where even they are refused there is no test.
inline bool refused(const Result<void>& done) {
    return !done && done.error().code == ErrorCode::not_permitted;
}

// Lends counters to user space for the time of a test, where the kernel wants to be asked (arm64).
class UserAccess {
  public:
    UserAccess() {
        std::ifstream(path) >> before_;
        std::ofstream(path) << 1;
    }
    UserAccess(const UserAccess&) = delete;
    UserAccess& operator=(const UserAccess&) = delete;
    ~UserAccess() { std::ofstream(path) << before_; }

  private:
    static constexpr const char* path = "/proc/sys/kernel/perf_user_access";
    int before_ = 0;
};

}  // namespace ringside::components

#define ADD_OR_SKIP(set, ...)                                                   \
    if (const auto added = (set).add(__VA_ARGS__); !added) {                    \
        if (::ringside::components::refused(added)) GTEST_SKIP() << why(added); \
        FAIL() << why(added);                                                   \
    }
