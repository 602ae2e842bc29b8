// trust/shared_page.h: any bytes are a page or are refused, and what is reported lies inside it.
#include <cstring>
#include <vector>

#include "fuzz_input.h"
#include "trust/shared_page.h"
#include "vpmu/page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint64_t> words(size / 8 + 1);
    std::memcpy(words.data(), data, size);
    const auto report = ringside::trust::read_page(std::as_bytes(std::span(words)).first(size));
    for (const auto& one : report.starved) {
        RINGSIDE_ASSERT(one.vcpu < report.vcpus && one.counter < VPMU_PAGE_COUNTERS);
    }
    return 0;
}
