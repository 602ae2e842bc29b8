// What the kernel says of threads over netlink: no input may crash.
#include "accounting/taskstats.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside;
    constexpr std::uint16_t recorded_family = 31;
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto family = accounting::parse_family(bytes);
    const auto threads = accounting::parse_taskstats(bytes, family.value_or(recorded_family));
    constexpr std::size_t least_bytes = 64;  // that tell of one thread
    RINGSIDE_ASSERT(threads.size() <= size / least_bytes);
    return 0;
}
