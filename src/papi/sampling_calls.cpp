// Overflow and profiles.
#include <bit>

#include "papi/calls.h"

using namespace ringside::papi;

extern "C" {

int PAPI_overflow(int handle, int code, int threshold, int flags, PAPI_overflow_handler_t handler) {
    return with_set(handle, [&](Set& set) { return set.watch(code, threshold, flags, handler); });
}

int PAPI_get_overflow_event_index(int handle, long long overflow_vector, int* array, int* number) {
    if (overflow_vector == 0 || array == nullptr || number == nullptr || *number < 1) {
        return note(PAPI_EINVAL);
    }
    return with_set(handle, [&](Set& set) {
        const auto& members = set.members();
        if (members.empty()) return PAPI_EINVAL;
        int found = 0;
        auto positions = static_cast<unsigned long long>(overflow_vector);
        for (; positions != 0; positions &= positions - 1) {
            const auto position = static_cast<std::size_t>(std::countr_zero(positions));
            for (std::size_t i = 0; i < members.size() && found < *number; ++i) {
                if (members[i].positions.front() == position) array[found++] = static_cast<int>(i);
            }
        }
        *number = found;
        return PAPI_OK;
    });
}

int PAPI_sprofil(PAPI_sprofil_t* histograms, int count, int handle, int code, int threshold,
                 int flags) {
    return with_set(handle, [&](Set& set) {
        if (count < 0) return PAPI_EINVAL;
        const auto size = histograms == nullptr ? 0 : static_cast<std::size_t>(count);
        return set.profile({histograms, size}, code, threshold, flags);
    });
}

int PAPI_profil(void* buffer, unsigned size_bytes, vptr_t offset, unsigned scale, int handle,
                int code, int threshold, int flags) {
    return with_set(handle, [&](Set& set) {
        if (threshold == 0) return set.profile({}, code, 0, flags);
        if (buffer == nullptr) return PAPI_EINVAL;
        return set.profile_one({buffer, size_bytes, offset, scale}, code, threshold, flags);
    });
}

}  // extern "C"
