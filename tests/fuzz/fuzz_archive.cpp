// Any bytes as an archive from a box: read or refused, never a crash and never an endless loop.
#include "guest/cpio.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    ringside::guest::CpioReader reader({reinterpret_cast<const char*>(data), size});
    while (reader.next()) {
    }
    return 0;
}
