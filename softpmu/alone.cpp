// A program of one thread, of which nothing but instructions is counted: QEMU itself adds them up,
// with code that it makes into each block, which costs much less than a call. That code knows one
// counter. Before a second thread begins, QEMU is told to forget it, and to translate anew with
// calls.
#include <atomic>

#include <sched.h>
#include <unistd.h>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

std::atomic<bool> is_ending;
std::uint64_t executed_alone = 0;  // by the first thread, when it began the second

std::uint64_t& executed() {
    return plugin.store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw;
}

// All threads stand still. The first one has executed nothing since it asked for this; what was
// counted in its name is the second one's, who may have been quick.
void on_forgotten(qemu_plugin_id_t id) {
    const std::uint64_t others = executed() - executed_alone;
    executed() = executed_alone;
    if (vcpus[1].shown != nullptr) {
        vcpus[1].shown->counter[SOFT_INSTRUCTIONS].raw += others;
    } else {
        plugin.owed_to_second = others;
    }
    listen(id);
    is_ending = false;
}

}  // namespace

bool can_count_alone() {
    const PluginOptions& options = plugin.options;
    const bool more = options.hot || options.memory || options.caches || options.period != 0;
    return !more && !plugin.whole_machine && !options.follows_branches();
}

bool begins_thread(Guest guest, std::int64_t number, std::uint64_t flags) {
    const bool is_clone = number == (guest == Guest::arm64 ? 220 : 56);
    // With CLONE_VFORK, QEMU forks.
    return is_clone && (flags & CLONE_VM) != 0 && (flags & CLONE_VFORK) == 0;
}

void end_alone() {
    // The second thread begins a third one.
    while (is_ending) ::usleep(100);
    if (!plugin.alone) return;
    is_ending = true;
    executed_alone = executed();
    {
        const std::lock_guard lock(plugin.mutex);
        plugin.alone = false;
    }
    qemu_plugin_reset(plugin.id, on_forgotten);
}

void count_alone(const Spot& spot, const Block& block) {
    spot.add(executed(), block.count);
}

}  // namespace ringside::softpmu
