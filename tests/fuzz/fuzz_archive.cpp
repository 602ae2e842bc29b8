// Any bytes as an archive from another machine: read or refused, never a crash and never an endless
// loop.
#include "incoming/cpio.h"
#include "incoming/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    ringside::incoming::CpioReader cpio(bytes);
    while (cpio.next()) {
    }
    ringside::incoming::TarReader tar(bytes);
    while (true) {
        const auto entry = tar.next();
        if (!entry || !entry->has_value()) return 0;
    }
}
