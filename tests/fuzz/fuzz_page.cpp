// trust/shared_page.h: any bytes are a page or are refused, and what is reported lies inside it.
// The input is laid over a good page, or little of it would pass the first check.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz_input.h"
#include "trust/shared_page.h"
#include "vpmu/page_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside;
    std::vector<std::uint64_t> words(vpmu::page_bytes(2, 1, 4) / 8);
    RINGSIDE_ASSERT(vpmu::format_page(words.data(), words.size() * 8, 2, 1, 4));
    const auto bytes = std::as_writable_bytes(std::span(words));
    for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i) bytes[i] ^= std::byte{data[i]};
    const auto report = trust::read_page(bytes);
    for (const auto& one : report.starved) {
        RINGSIDE_ASSERT(one.vcpu < report.vcpus && one.counter < VPMU_PAGE_COUNTERS);
    }
    return 0;
}
