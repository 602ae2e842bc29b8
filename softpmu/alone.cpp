// A program of one thread, of which nothing but instructions is counted: QEMU itself adds them up,
// with code that it makes into each block, which costs much less than a call. That code knows one
// counter. Before a second thread begins, QEMU is told to forget it, and to translate anew with
// calls.
#include <atomic>
#include <utility>

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

// The first thread executes nothing from when it asks QEMU to forget until QEMU has: what is
// counted in its name meanwhile is the second one's, who may be quick. With the mutex.
void settle() {
    plugin.owed_to_second += executed() - executed_alone;
    executed() = executed_alone;
    if (Vcpu& second = vcpus[1]; second.shown != nullptr) {
        second.shown->counter[SOFT_INSTRUCTIONS].raw += std::exchange(plugin.owed_to_second, 0);
    }
}

// No thread executes code of the guest.
void on_forgotten(qemu_plugin_id_t id) {
    {
        const std::lock_guard lock(plugin.mutex);
        settle();
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

void settle_with_second(unsigned index) {
    if (!is_ending || index != 1) return;
    const std::lock_guard lock(plugin.mutex);
    if (vcpus[1].shown == nullptr) claim(1, vcpus[1]);
    settle();
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
