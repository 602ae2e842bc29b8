// A vCPU, and where it counts.
#include <utility>

#include <unistd.h>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

void claim(unsigned index, Vcpu& vcpu) {
    vcpu.thread = plugin.whole_machine ? index : static_cast<std::uint32_t>(::gettid());
    if (plugin.options.predictor && vcpu.predictor == nullptr) vcpu.predictor = new BranchPredictor;
    if (plugin.options.caches && vcpu.memory == nullptr) vcpu.memory = new MemoryModel;
    if (index >= SOFT_VCPUS) {
        static vpmu_page_vcpu not_shown;
        ++plugin.store.extension().uncounted_vcpus;
        vcpu.shown = &not_shown;
    } else {
        plugin.store.show_vcpus(index + 1);
        if (!plugin.whole_machine) plugin.store.begin_thread(index, vcpu.thread);
        vcpu.shown = &plugin.store.vcpu(index);
    }
    vcpu.counter = vcpu.shown->counter;
    if (index == 1) {
        vcpu.counter[SOFT_INSTRUCTIONS].raw += std::exchange(plugin.owed_to_second, 0);
    }
    vcpu.index = index;
    if (plugin.guest_page.is_open()) {
        vcpu.lent = &plugin.guest_page.vcpu(index);
        vcpu.alarms = &plugin.guest_page.alarms(index);
    }
    if (plugin.profile.is_open() && vcpu.profile == nullptr) begin_profile(vcpu);
    vcpu.sampled = static_cast<std::uint32_t>(plugin.options.sampled);
    // Its count goes on where another thread left it, or begins.
    const std::uint64_t counted = vcpu.counter[vcpu.sampled].raw;
    if (counted == 0 || vcpu.sample_at == 0) vcpu.sample_at = counted + plugin.options.period;
}

void claim_locked(unsigned index, Vcpu& vcpu) {
    const std::lock_guard lock(plugin.mutex);
    claim(index, vcpu);
}

}  // namespace ringside::softpmu
