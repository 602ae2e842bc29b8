#include "clocks/steal_accounting.h"

#include <fmt/format.h>

namespace ringside::clocks {

namespace {

using Answer = StealAccounting::Answer;

// Less than this may have been stolen before the scheduler began to look.
constexpr std::uint64_t telling_steal_ns = 10'000'000;

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

}  // namespace ringside::clocks
