// What src/proc reads, as a hostile or broken tree might hold it: no input may crash, sums never
// shrink, and times that are taken out of others never leave less than nothing.
#include "fuzz_input.h"
#include "proc/maps.h"
#include "proc/meminfo.h"
#include "proc/mounts.h"
#include "proc/stat.h"
#include "proc/task.h"

namespace {

using namespace ringside;

void add_up(std::string_view text) {
    const auto middle = text.size() / 2;
    proc::TickSums sums;
    std::uint64_t last = 0;
    for (const auto part : {text, text.substr(0, middle), text.substr(middle)}) {
        if (const auto stat = proc::parse_stat(part)) sums.add(*stat);
        const auto& now = sums.since_start();
        const auto cpu0 = now.find(0);
        const std::uint64_t steal = cpu0 == now.end() ? 0 : cpu0->second.steal;
        RINGSIDE_ASSERT(steal >= last);
        last = steal;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::as_text(data, size);
    add_up(text);
    for (const auto& mapping : proc::parse_maps(text)) {
        RINGSIDE_ASSERT(mapping.end > mapping.start);
        RINGSIDE_ASSERT(mapping.path.find('\n') == std::string::npos);
    }
    for (const auto& path : proc::parse_cgroup_paths(text)) RINGSIDE_ASSERT(!path.empty());
    const auto mount = proc::find_mount(text, "/");
    RINGSIDE_ASSERT(!mount || !mount->type.empty());
    static_cast<void>(proc::parse_memory_total_bytes(text));
    static_cast<void>(proc::vcpu_of_thread_name(text));
    static_cast<void>(proc::parse_schedstat(text));
    const auto stat = proc::parse_task_stat(text);
    RINGSIDE_ASSERT(!stat || stat->parent >= 0);
    const auto sums = proc::parse_sleep_sums(text);
    RINGSIDE_ASSERT(!sums || sums->sleeping_ns <= UINT64_MAX - sums->blocked_ns);
    return 0;
}
