// Any bytes as a program or kernel module: read or refused, never a crash.
#include "guest/elf.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    [[maybe_unused]] const auto facts = ringside::guest::read_elf(bytes);
    [[maybe_unused]] const auto depends = ringside::guest::module_depends(bytes);
    return 0;
}
