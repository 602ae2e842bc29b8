// Counting that is switched off and on while a machine runs, by whoever writes into its file. QEMU
// then forgets all code it has translated, and translates it anew, with our callbacks or without:
// a machine that does not count runs as fast as one without the plugin.
#include <atomic>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

std::atomic<bool> is_switching;

void set_off(bool off) {
    plugin.off = off;
    if (plugin.profile.is_open() && !off) plugin.profile.look_for_tasks(plugin.memory);
    if (plugin.guest_page.is_open()) plugin.guest_page.set_starved(off);
    std::atomic_ref(plugin.store.extension().is_off).store(off ? 1 : 0, std::memory_order_release);
}

bool wants_off() {
    return std::atomic_ref(plugin.store.extension().wanted_off).load(std::memory_order_relaxed) !=
           0;
}

// All vCPUs stand still.
void on_forgotten(qemu_plugin_id_t id) {
    set_off(wants_off());
    for (Vcpu& vcpu : vcpus) vcpu.forget_way();
    listen(id);
    is_switching = false;
}

}  // namespace

void start_off() {
    plugin.store.extension().wanted_off = 1;
    set_off(true);
}

// QEMU up to 7.2 leaves in a vCPU the list of whom to tell of accesses, when the instruction that
// made them ended its block. With the code it frees that list, and follows it at the next access
// that one of its own functions makes for the guest. (From 8.0 on it empties it itself, and the
// function for that is not there.)
void on_code_forgotten(qemu_plugin_id_t /*id*/) {
    if (qemu_get_cpu == nullptr || qemu_plugin_disable_mem_helpers == nullptr) return;
    for (int i = 0; i < static_cast<int>(plugin.store.vcpu_count()); ++i) {
        if (CPUState* cpu = qemu_get_cpu(i)) qemu_plugin_disable_mem_helpers(cpu);
    }
}

// Only a vCPU's own thread may ask QEMU to forget.
void on_look_at_switch(unsigned /*index*/, void* /*unused*/) {
    if (wants_off() == plugin.off || is_switching.exchange(true)) return;
    qemu_plugin_reset(plugin.id, on_forgotten);
}

}  // namespace ringside::softpmu
