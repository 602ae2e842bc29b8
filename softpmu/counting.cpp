// What happens while the guest's code is executed: everything here is paid for at each block or
// access.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <unistd.h>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

// One instruction on the page itself. Each vCPU writes its own counters; readers are other
// programs, and load whole words whenever they like.
void add(vpmu_page_vcpu& vcpu, soft_counter counter, std::uint64_t amount) {
    vcpu.counter[counter].raw += amount;
}

[[gnu::noinline]] void claim(unsigned index, Vcpu& vcpu) {
    const std::lock_guard lock(plugin.mutex);
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
    // Its count goes on where another thread left it, or begins.
    const std::uint64_t executed = vcpu.shown->counter[SOFT_INSTRUCTIONS].raw;
    if (executed == 0 || vcpu.sample_at == 0) vcpu.sample_at = executed + plugin.options.period;
}

Vcpu& place_of(unsigned index) {
    return vcpus[index < SOFT_VCPUS ? index : SOFT_VCPUS];
}

// What Flow finds out, as counts of one vCPU.
template <bool Predicts>
struct Counting {
    Vcpu& vcpu;
    std::int64_t instructions;
    std::uint32_t skipped = 0;  // at the block's front

    void left(const Block& block, bool taken) {
        add(*vcpu.shown, SOFT_BRANCHES, is_branch(block.end) ? 1 : 0);
        add(*vcpu.shown, SOFT_TAKEN_BRANCHES, taken ? 1 : 0);
        if constexpr (Predicts) {
            const bool guessed = block.end == End::conditional;
            if (guessed && vcpu.predictor->misses(block.last, taken)) {
                add(*vcpu.shown, SOFT_BRANCH_MISS_MODEL, 1);
            }
        }
    }
    void again(std::uint32_t count) { instructions -= count; }
    void repeated() { skipped = 1; }
};

// Every period-th instruction, exactly, however many of them are in one block.
[[gnu::noinline]] void take_samples(Vcpu& vcpu, const Block& block, std::uint64_t executed,
                                    std::uint32_t skipped) {
    const std::uint64_t now = vcpu.shown->counter[SOFT_INSTRUCTIONS].raw;
    for (; now >= vcpu.sample_at; vcpu.sample_at += plugin.options.period) {
        const std::uint64_t index = skipped + executed - 1 - (now - vcpu.sample_at);
        const auto offset = block.offsets[std::min<std::uint64_t>(index, block.count - 1)];
        plugin.store.add_sample(block.start + offset, vcpu.thread);
    }
}

Vcpu& vcpu_at(unsigned index) {
    Vcpu& vcpu = place_of(index);
    if (vcpu.shown == nullptr) [[unlikely]]
        claim(index, vcpu);
    return vcpu;
}

template <bool Samples>
void count_instructions(Vcpu& vcpu, const Block& block, std::int64_t instructions,
                        std::uint32_t skipped) {
    const auto amount = static_cast<std::uint64_t>(instructions);
    add(*vcpu.shown, SOFT_INSTRUCTIONS, amount);
    if constexpr (Samples) {
        if (vcpu.shown->counter[SOFT_INSTRUCTIONS].raw >= vcpu.sample_at) [[unlikely]] {
            take_samples(vcpu, block, amount, skipped);
        }
    }
}

// A vCPU that the page does not know yet expects nothing, and comes here, too.
template <bool Predicts, bool Samples>
[[gnu::noinline]] void on_unexpected_block(unsigned index, Vcpu& vcpu, const Block& block) {
    if (vcpu.shown == nullptr) claim(index, vcpu);
    Counting<Predicts> counting{vcpu, block.count};
    vcpu.flow.enter_unexpected(block, counting);
    if (block.in_kernel) {
        add(*vcpu.shown, SOFT_KERNEL_INSTRUCTIONS,
            static_cast<std::uint64_t>(counting.instructions));
    }
    count_instructions<Samples>(vcpu, block, counting.instructions, counting.skipped);
}

template <bool Predicts, bool Samples>
void on_followed_block(unsigned index, void* data) {
    Vcpu& vcpu = place_of(index);
    const Block& block = *static_cast<const Block*>(data);
    if (!vcpu.flow.expects(block)) [[unlikely]] {
        return on_unexpected_block<Predicts, Samples>(index, vcpu, block);
    }
    const Block& before = vcpu.flow.go_on(block);
    Counting<Predicts>{vcpu, 0}.left(before, block.start != before.fall);
    if (block.in_kernel) add(*vcpu.shown, SOFT_KERNEL_INSTRUCTIONS, block.count);
    count_instructions<Samples>(vcpu, block, block.count, 0);
}

// Nothing but instructions.
template <bool Samples>
void on_block(unsigned index, void* data) {
    const Block& block = *static_cast<const Block*>(data);
    count_instructions<Samples>(vcpu_at(index), block, block.count, 0);
}

// A block that ends with a repeated string instruction comes again for each repetition, with that
// instruction alone, and with nothing executed in between.
template <bool Samples>
void on_repeated_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    const Block& block = *static_cast<const Block*>(data);
    const std::uint64_t& executed = vcpu.shown->counter[SOFT_INSTRUCTIONS].raw;
    const bool again = block.start == vcpu.repeated && executed == vcpu.executed_by_then;
    count_instructions<Samples>(vcpu, block, block.count - (again ? 1 : 0), again ? 1 : 0);
    vcpu.repeated = block.last;
    vcpu.executed_by_then = executed;
}

void model_access(Vcpu& vcpu, std::uint64_t address, bool store) {
    vpmu_page_vcpu& shown = *vcpu.shown;
    if (vcpu.memory->translations.misses(address)) {
        add(shown, store ? SOFT_DTLB_STORE_MISS_MODEL : SOFT_DTLB_LOAD_MISS_MODEL, 1);
    }
    if (!vcpu.memory->level_1.misses(address)) return;
    add(shown, SOFT_L1D_MISS_MODEL, 1);
    if (vcpu.memory->level_2.misses(address)) add(shown, SOFT_L2_MISS_MODEL, 1);
}

// The device's place in the table; the last one is for all that had no room.
soft_device& device_named(const char* name) {
    soft_extension& extension = plugin.store.extension();
    const std::lock_guard lock(plugin.mutex);
    std::uint64_t i = 0;
    for (; i < extension.device_count; ++i) {
        if (std::strncmp(extension.device[i].name, name, sizeof extension.device[i].name - 1) ==
            0) {
            return extension.device[i];
        }
    }
    if (i == SOFT_DEVICES) return extension.device[SOFT_DEVICES - 1];
    const char* shown = i == SOFT_DEVICES - 1 ? "others" : name;
    std::strncpy(extension.device[i].name, shown, sizeof extension.device[i].name - 1);
    std::atomic_ref(extension.device_count).store(i + 1, std::memory_order_release);
    return extension.device[i];
}

void count_device(Vcpu& vcpu, const char* name, bool store) {
    add(*vcpu.shown, SOFT_IO, 1);
    soft_device& device = device_named(name);
    std::atomic_ref(store ? device.writes : device.reads).fetch_add(1, std::memory_order_relaxed);
}

template <bool Models, bool FindsDevices>
void on_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t address, void* /*data*/) {
    Vcpu& vcpu = vcpu_at(index);
    const bool store = qemu_plugin_mem_is_store(info);
    add(*vcpu.shown, store ? SOFT_STORES : SOFT_LOADS, 1);
    if constexpr (FindsDevices) {
        const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, address);
        if (place != nullptr && qemu_plugin_hwaddr_is_io(place)) {
            count_device(vcpu, qemu_plugin_hwaddr_device_name(place), store);
            return;
        }
    }
    if constexpr (Models) model_access(vcpu, address, store);
}

}  // namespace

// Which port is in a register, which QEMU does not show.
void on_port_access(unsigned index, void* is_write) {
    count_device(vcpu_at(index), "x86 ports", is_write != nullptr);
}

qemu_plugin_vcpu_udata_cb_t block_callback(const Block& block) {
    const bool samples = plugin.options.period != 0;
    if (plugin.options.predictor) {
        return samples ? on_followed_block<true, true> : on_followed_block<true, false>;
    }
    if (plugin.options.follows_blocks(plugin.whole_machine)) {
        return samples ? on_followed_block<false, true> : on_followed_block<false, false>;
    }
    if (block.end == End::repeated) {
        return samples ? on_repeated_block<true> : on_repeated_block<false>;
    }
    return samples ? on_block<true> : on_block<false>;
}

qemu_plugin_vcpu_mem_cb_t access_callback() {
    const PluginOptions& options = plugin.options;
    const bool devices = plugin.whole_machine && options.memory;
    if (options.caches) return devices ? on_access<true, true> : on_access<true, false>;
    return devices ? on_access<false, true> : on_access<false, false>;
}

}  // namespace ringside::softpmu
