// Regions.
#include "papi/calls.h"
#include "papi/high_level.h"

using namespace ringside::papi;

extern "C" {

int PAPI_hl_region_begin(const char* region) {
    return guarded([&] { return region == nullptr ? PAPI_EINVAL : high_level().begin(region); });
}

int PAPI_hl_read(const char* region) {
    return guarded([&] { return region == nullptr ? PAPI_EINVAL : high_level().read(region); });
}

int PAPI_hl_region_end(const char* region) {
    return guarded([&] { return region == nullptr ? PAPI_EINVAL : high_level().end(region); });
}

int PAPI_hl_stop(void) {
    return guarded([] { return high_level().stop(); });
}

}  // extern "C"
