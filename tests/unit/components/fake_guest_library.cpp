// Stands in for VMware's libvmGuestLib: the functions that a test needs, over values it sets.
// Values are those of the last UpdateInfo, as in the real one.
#include "fake_guest_library.h"

#include <cstdio>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED FakeGuestLibrary fake_guest;
FakeGuestLibrary fake_guest{0, 0, 1, 0, 0, 0};

namespace {

FakeGuestLibrary snapshot{};
constexpr int not_available = 4;
constexpr int no_info = 5;
constexpr int invalid_handle = 8;
constexpr int buffer_too_small = 7;

int check(const void* handle) {
    if (handle != &fake_guest) return invalid_handle;
    return snapshot.session == 0 ? no_info : 0;
}

template <typename T>
int give(const void* handle, T value, T* out) {
    const int error = check(handle);
    if (error == 0) *out = value;
    return error;
}

}  // namespace

EXPORTED const char* VMGuestLib_GetErrorText(int error) {
    return error == 2 ? "not running in a VM" : error == 3 ? "not enabled on the host" : "other";
}
EXPORTED int VMGuestLib_OpenHandle(void** handle) {
    if (fake_guest.open_error != 0) return fake_guest.open_error;
    *handle = &fake_guest;
    ++fake_guest.handles;
    return 0;
}
EXPORTED int VMGuestLib_CloseHandle(void* handle) {
    --fake_guest.handles;
    return handle == &fake_guest ? 0 : invalid_handle;
}
EXPORTED int VMGuestLib_UpdateInfo(void*) {
    if (fake_guest.update_error == 0) snapshot = fake_guest;
    return fake_guest.update_error;
}
EXPORTED int VMGuestLib_GetSessionId(void* handle, std::uint64_t* id) {
    return give(handle, snapshot.session, id);
}
EXPORTED int VMGuestLib_GetCpuStolenMs(void* handle, std::uint64_t* ms) {
    return give(handle, snapshot.cpu_stolen_ms, ms);
}
EXPORTED int VMGuestLib_GetMemBalloonedMB(void* handle, std::uint32_t* mb) {
    return give(handle, snapshot.mem_ballooned_mb, mb);
}
EXPORTED int VMGuestLib_GetCpuLimitMHz(void* handle, std::uint32_t* mhz) {
    return give(handle, 0xffff'ffffu, mhz);  // no limit
}
EXPORTED int VMGuestLib_GetMemShares(void*, std::uint32_t*) {
    return not_available;
}
EXPORTED int VMGuestLib_GetResourcePoolPath(void*, std::size_t* size, char* path) {
    if (*size < 6) return buffer_too_small;
    std::snprintf(path, *size, "/pool");
    return 0;
}
