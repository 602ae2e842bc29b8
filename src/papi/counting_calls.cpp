// Counting.
#include <ringside/clocks.h>

#include "papi/calls.h"

using namespace ringside::papi;

namespace {

// Apart from PAPI_read(), which would have to make room on the stack for all of this.
[[gnu::noinline]] int read_slowly(int handle, long long* values) {
    return with_set(handle,
                    [&](Set& set) { return values == nullptr ? PAPI_EINVAL : set.read(values); });
}

}  // namespace

extern "C" {

int PAPI_start(int handle) {
    return with_set(handle, [](Set& set) { return set.start(); });
}

int PAPI_stop(int handle, long long* values) {
    return with_set(handle, [&](Set& set) { return set.stop(values); });
}

int PAPI_read(int handle, long long* values) {
    Set* slot = library().sets.slot(handle);
    if (slot != nullptr && values != nullptr && slot->read_plain(values)) return PAPI_OK;
    return read_slowly(handle, values);
}

int PAPI_read_ts(int handle, long long* values, long long* cycles) {
    return with_set(handle, [&](Set& set) {
        if (values == nullptr || cycles == nullptr) return PAPI_EINVAL;
        const int result = set.read(values);
        *cycles = static_cast<long long>(ringside::cycles());
        return result;
    });
}

int PAPI_accum(int handle, long long* values) {
    return with_set(
        handle, [&](Set& set) { return values == nullptr ? PAPI_EINVAL : set.accumulate(values); });
}

int PAPI_reset(int handle) {
    return with_set(handle, [](Set& set) { return set.reset(); });
}

// No kernel lets a program set its counters.
int PAPI_write(int handle, long long* values) {
    return with_set(handle, [&](Set& set) {
        if (set.component() < 0) return PAPI_ENOCMP;
        return values == nullptr ? PAPI_EINVAL : PAPI_ECMP;
    });
}

}  // extern "C"
