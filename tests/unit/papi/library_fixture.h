// A library that is initialized for one test, and small programs to measure.
#pragma once

#include <ctime>

#include <gtest/gtest.h>

#include <ringside/papi/papi.h>

namespace ringside::papi {

class PapiTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(PAPI_library_init(PAPI_VER_CURRENT), static_cast<int>(PAPI_VER_CURRENT));
    }
    void TearDown() override { PAPI_shutdown(); }

    static int code_of_event(const char* name) {
        int code = PAPI_NULL;
        EXPECT_EQ(PAPI_event_name_to_code(name, &code), PAPI_OK) << name;
        return code;
    }
    // A set with these events; no test goes on without it.
    template <typename... Names>
    static int set_with(Names... names) {
        int set = PAPI_NULL;
        EXPECT_EQ(PAPI_create_eventset(&set), PAPI_OK);
        for (const char* name : {names...}) {
            EXPECT_EQ(PAPI_add_named_event(set, name), PAPI_OK) << name;
        }
        return set;
    }
};

inline long long thread_cpu_time_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Keeps the CPU busy, mostly in user mode, for that much CPU time of the calling thread.
inline void spin_ms(int ms) {
    const long long end_ns = thread_cpu_time_ns() + ms * 1'000'000LL;
    while (thread_cpu_time_ns() < end_ns) {
        for (int i = 0; i < 20'000; ++i) {
            asm volatile("" : : "r"(i));  // work the compiler must keep
        }
    }
}

}  // namespace ringside::papi
