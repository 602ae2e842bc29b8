// Time. None of these can fail, and none needs the library to be initialized.
#include <ringside/clocks.h>

#include "papi/abi.h"
#include "papi/virtual_time.h"

using namespace ringside::papi;

namespace {

// In units of PAPI_get_real_cyc(), so that the two can be compared.
long long to_cycles(std::uint64_t ns) {
    static const double cycles_per_ns = ringside::cycle_rate().hz / 1e9;
    return static_cast<long long>(static_cast<double>(ns) * cycles_per_ns);
}

}  // namespace

extern "C" {

long long PAPI_get_real_cyc(void) {
    return static_cast<long long>(ringside::cycles());
}

long long PAPI_get_real_nsec(void) {
    return static_cast<long long>(ringside::real_ns());
}

long long PAPI_get_real_usec(void) {
    return static_cast<long long>(ringside::real_ns() / 1000);
}

long long PAPI_get_virt_cyc(void) {
    return to_cycles(thread_virtual_ns());
}

long long PAPI_get_virt_nsec(void) {
    return static_cast<long long>(thread_virtual_ns());
}

long long PAPI_get_virt_usec(void) {
    return static_cast<long long>(thread_virtual_ns() / 1000);
}

}  // extern "C"
