// What a test can tell the fake guest library to answer.
#pragma once

#include <cstdint>

struct FakeGuestLibrary {
    int open_error;    // what VMGuestLib_OpenHandle answers
    int update_error;  // what VMGuestLib_UpdateInfo answers
    std::uint64_t session;
    std::uint64_t cpu_stolen_ms;
    std::uint32_t mem_ballooned_mb;
    int handles;  // open ones
};
