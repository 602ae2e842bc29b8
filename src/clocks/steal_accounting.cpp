#include "clocks/steal_accounting.h"

#include <fmt/format.h>

#include "clocks/meter.h"
#include "clocks/share.h"

namespace ringside::clocks {

namespace {

using Answer = StealAccounting::Answer;

// Less than this may have been stolen before the scheduler began to look.
constexpr std::uint64_t telling_steal_ns = 10'000'000;

void spin_for(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

}  // namespace

StealAccounting judge_kernel(const std::optional<bpf::KernelLayout>& layout,
                             const std::vector<bpf::CpuCounters>& counters) {
    if (layout && !layout->can_exclude_steal) {
        return {Answer::includes,
                "the kernel's run queues have no field for subtracted steal (BTF)"};
    }
    std::uint64_t steal_ns = 0;
    std::uint64_t subtracted_ns = 0;
    for (const auto& cpu : counters) {
        steal_ns += cpu.steal_ns;
        subtracted_ns += cpu.subtracted_ns;
    }
    const auto numbers =
        fmt::format("the scheduler has subtracted {:.6f} of {:.6f} s stolen since boot",
                    static_cast<double>(subtracted_ns) / 1e9, static_cast<double>(steal_ns) / 1e9);
    if (subtracted_ns > 0) return {Answer::excludes, numbers};
    if (steal_ns >= telling_steal_ns) return {Answer::includes, numbers};
    if (counters.empty()) return {Answer::undetermined, "the scheduler's own sums cannot be read"};
    return {Answer::undetermined, numbers};
}

StealAccounting measure_accounting(const base::SysRoot& root, std::chrono::milliseconds limit) {
    const auto subject = find_thread(root, 0);
    auto meter = make_share_meter(root, *subject, Answer::includes);
    if (!meter) return {Answer::undetermined, meter.error().what};
    const auto end = std::chrono::steady_clock::now() + limit;
    StealAccounting found;
    do {
        spin_for(std::chrono::milliseconds(20));
        const auto now = (*meter)->read();
        if (!now || !now->cpu_ns || !now->occupied_ns || !now->steal.ns) break;
        const std::uint64_t difference_ns =
            *now->occupied_ns > *now->cpu_ns ? *now->occupied_ns - *now->cpu_ns : 0;
        found.answer = judge(difference_ns, {*now->steal.ns, now->steal.error_ns});
        found.evidence = fmt::format(
            "task-clock {} ns, CPU time {} ns; /proc/stat shows {} +- {} ns stolen meanwhile",
            *now->occupied_ns, *now->cpu_ns, *now->steal.ns, now->steal.error_ns);
    } while (found.answer == Answer::undetermined && std::chrono::steady_clock::now() < end);
    return found;
}

}  // namespace ringside::clocks
