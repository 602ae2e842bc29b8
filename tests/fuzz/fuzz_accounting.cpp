// What the kernel says of threads, over netlink and in /proc: no input may crash, and times that
// are taken out of others never leave less than nothing.
#include "accounting/proc_task.h"
#include "accounting/taskstats.h"
#include "clocks/threads.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ringside;
    constexpr std::uint16_t recorded_family = 31;
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto family = accounting::parse_family(bytes);
    const auto threads = accounting::parse_taskstats(bytes, family.value_or(recorded_family));
    constexpr std::size_t least_bytes = 64;  // that tell of one thread
    RINGSIDE_ASSERT(threads.size() <= size / least_bytes);
    const auto text = fuzz::as_text(data, size);
    static_cast<void>(accounting::parse_task_stat(text));
    static_cast<void>(clocks::parse_schedstat(text));
    const auto sums = accounting::parse_sleep_sums(text);
    RINGSIDE_ASSERT(!sums || sums->sleeping_ns <= UINT64_MAX - sums->blocked_ns);
    return 0;
}
