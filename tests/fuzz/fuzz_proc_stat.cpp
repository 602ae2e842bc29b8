// /proc/stat as a hostile or broken tree might hold it: no input may crash, and sums never shrink.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "clocks/proc_stat.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto middle = text.size() / 2;
    ringside::clocks::TickSums sums;
    std::uint64_t last = 0;
    for (const auto part : {text, text.substr(0, middle), text.substr(middle)}) {
        if (const auto stat = ringside::clocks::parse_proc_stat(part)) sums.add(*stat);
        const auto& now = sums.since_start();
        const auto cpu0 = now.find(0);
        const std::uint64_t steal = cpu0 == now.end() ? 0 : cpu0->second.steal;
        if (steal < last) std::abort();
        last = steal;
    }
    return 0;
}
