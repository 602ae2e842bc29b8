// What happens while the guest's code is executed: everything here is paid for at each block or
// access.
#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include "softpmu/plugin.h"

namespace ringside::softpmu {

namespace {

// Readers are other programs, and load whole words whenever they like.
std::uint64_t load(const std::uint64_t& word) {
    return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);
}
void show(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
}

// What the guest sees of a count, and what it asked to be told of it. `address(n)` is where the
// counter was n less than now.
template <typename Address>
void lend(Vcpu& vcpu, unsigned counter, std::uint64_t now, std::int64_t amount, Address address) {
    show(vcpu.lent->counter[counter].raw, now);
    if (now >= load(vcpu.alarms->counter[counter].limit)) [[unlikely]] {
        plugin.guest_page.sound(vcpu.index, counter, now, amount, address);
    }
}

// At every period-th event, exactly, however many of them come at once.
template <typename Address>
[[gnu::noinline]] void take_samples(Vcpu& vcpu, soft_counter counter, std::uint64_t now,
                                    Address address) {
    for (; now >= vcpu.sample_at; vcpu.sample_at += plugin.options.period) {
        const std::uint64_t ip = address(now - vcpu.sample_at);
        if (vcpu.profile != nullptr) {
            add_profile_sample(vcpu, ip);
        } else {
            plugin.store.add_sample(counter, ip, vcpu.thread);
        }
    }
}

// One instruction on the page itself, where nobody sees but the plugin's own readers: each vCPU
// writes its own counters. `address` as for lend().
template <bool Samples, bool Lends, typename Address>
void add(Vcpu& vcpu, soft_counter counter, std::int64_t amount, Address address) {
    const std::uint64_t now = vcpu.shown->counter[counter].raw +=
        static_cast<std::uint64_t>(amount);
    if constexpr (Lends) lend(vcpu, counter, now, amount, address);
    if constexpr (Samples) {
        if (counter == vcpu.sampled && now >= vcpu.sample_at) [[unlikely]] {
            take_samples(vcpu, counter, now, address);
        }
    }
}

Vcpu& place_of(unsigned index) {
    return vcpus[index < SOFT_VCPUS ? index : SOFT_VCPUS];
}

[[gnu::noinline]] void claim_locked(unsigned index, Vcpu& vcpu) {
    const std::lock_guard lock(plugin.mutex);
    claim(index, vcpu);
}

// What Flow finds out, as counts of one vCPU.
template <bool Predicts, bool Samples, bool Lends>
struct Counting {
    Vcpu& vcpu;
    std::int64_t instructions;
    std::uint32_t skipped = 0;  // at the block's front

    void left(const Block& block, bool taken) {
        const auto branch = [&](std::uint64_t) { return block.last; };
        add<Samples, Lends>(vcpu, SOFT_BRANCHES, is_branch(block.end) ? 1 : 0, branch);
        add<Samples, Lends>(vcpu, SOFT_TAKEN_BRANCHES, taken ? 1 : 0, branch);
        if constexpr (Predicts) {
            const bool guessed = block.end == End::conditional;
            if (guessed && vcpu.predictor->misses(block.last, taken)) {
                add<Samples, Lends>(vcpu, SOFT_BRANCH_MISS_MODEL, 1, branch);
            }
        }
    }
    void again(std::uint32_t count) { instructions -= count; }
    void repeated() { skipped = 1; }
};

// Instructions of one block, of which the first `skipped` do not count.
struct Stretch {
    const Block& block;
    std::int64_t executed;
    std::uint32_t skipped;

    // Where there were `behind` instructions still to come.
    std::uint64_t operator()(std::uint64_t behind) const {
        const std::uint64_t index = skipped + static_cast<std::uint64_t>(executed) - 1 - behind;
        return block.start + block.offsets[std::min<std::uint64_t>(index, block.count - 1)];
    }
};

template <bool Samples, bool Lends>
void count_instructions(Vcpu& vcpu, const Stretch& stretch) {
    add<Samples, Lends>(vcpu, SOFT_INSTRUCTIONS, stretch.executed, stretch);
    if (stretch.block.in_kernel) {
        add<Samples, Lends>(vcpu, SOFT_KERNEL_INSTRUCTIONS, stretch.executed, stretch);
    } else if constexpr (Lends) {
        const auto& counter = vcpu.shown->counter;
        lend(vcpu, SOFT_USER_INSTRUCTIONS,
             counter[SOFT_INSTRUCTIONS].raw - counter[SOFT_KERNEL_INSTRUCTIONS].raw,
             stretch.executed, stretch);
    }
}

// The same as Counting::left() and count_instructions(), for a block that was expected, as nearly
// all are: nothing branches here on what cannot be foreseen.
[[gnu::noinline]] void take_due_samples(Vcpu& vcpu, const Block& before, const Block& block) {
    const auto sampled = static_cast<soft_counter>(vcpu.sampled);
    const std::uint64_t now = vcpu.shown->counter[sampled].raw;
    if (sampled == SOFT_BRANCHES || sampled == SOFT_TAKEN_BRANCHES) {
        take_samples(vcpu, sampled, now, [&](std::uint64_t) { return before.last; });
    } else {
        take_samples(vcpu, sampled, now, Stretch{block, block.count, 0});
    }
}

template <bool Samples>
void count_expected(Vcpu& vcpu, const Block& before, const Block& block) {
    auto& counter = vcpu.shown->counter;
    counter[SOFT_BRANCHES].raw += is_branch(before.end) ? 1 : 0;
    counter[SOFT_TAKEN_BRANCHES].raw += block.start != before.fall ? 1 : 0;
    counter[SOFT_INSTRUCTIONS].raw += block.count;
    if (block.in_kernel) counter[SOFT_KERNEL_INSTRUCTIONS].raw += block.count;
    if constexpr (Samples) {
        if (counter[vcpu.sampled].raw >= vcpu.sample_at) [[unlikely]]
            take_due_samples(vcpu, before, block);
    }
}

// And for a guest that sees all of it.
[[gnu::noinline]] void sound_alarms(Vcpu& vcpu, const Block& before, const Block& block) {
    const auto sound = [&](unsigned counter, std::int64_t amount, auto address) {
        const std::uint64_t now = vcpu.lent->counter[counter].raw;
        if (now < load(vcpu.alarms->counter[counter].limit)) return;
        plugin.guest_page.sound(vcpu.index, counter, now, amount, address);
    };
    const auto branch = [&](std::uint64_t) { return before.last; };
    sound(SOFT_BRANCHES, is_branch(before.end) ? 1 : 0, branch);
    sound(SOFT_TAKEN_BRANCHES, block.start != before.fall ? 1 : 0, branch);
    const Stretch stretch{block, block.count, 0};
    sound(SOFT_INSTRUCTIONS, block.count, stretch);
    sound(block.in_kernel ? SOFT_KERNEL_INSTRUCTIONS : SOFT_USER_INSTRUCTIONS, block.count,
          stretch);
}

void count_lent(Vcpu& vcpu, const Block& before, const Block& block) {
    count_expected<false>(vcpu, before, block);
    const auto& own = vcpu.shown->counter;
    const auto lend_count = [&](unsigned counter, std::uint64_t now) {
        show(vcpu.lent->counter[counter].raw, now);
        return static_cast<unsigned>(now >= load(vcpu.alarms->counter[counter].limit));
    };
    const std::uint64_t executed = own[SOFT_INSTRUCTIONS].raw;
    const std::uint64_t in_kernel = own[SOFT_KERNEL_INSTRUCTIONS].raw;
    const unsigned due = lend_count(SOFT_BRANCHES, own[SOFT_BRANCHES].raw) |
                         lend_count(SOFT_TAKEN_BRANCHES, own[SOFT_TAKEN_BRANCHES].raw) |
                         lend_count(SOFT_INSTRUCTIONS, executed) |
                         lend_count(SOFT_KERNEL_INSTRUCTIONS, in_kernel) |
                         lend_count(SOFT_USER_INSTRUCTIONS, executed - in_kernel);
    if (due != 0) [[unlikely]]
        sound_alarms(vcpu, before, block);
}

// A vCPU that the page does not know yet expects nothing, and comes here, too.
template <bool Predicts, bool Samples, bool Lends>
[[gnu::noinline]] void on_unexpected_block(unsigned index, Vcpu& vcpu, const Block& block) {
    if (vcpu.shown == nullptr) claim_locked(index, vcpu);
    Counting<Predicts, Samples, Lends> counting{vcpu, block.count};
    vcpu.flow.enter_unexpected(block, counting);
    count_instructions<Samples, Lends>(vcpu, {block, counting.instructions, counting.skipped});
}

template <bool Predicts, bool Samples, bool Lends>
void on_followed_block(unsigned index, void* data) {
    Vcpu& vcpu = place_of(index);
    const Block& block = *static_cast<const Block*>(data);
    if (!vcpu.flow.expects(block)) [[unlikely]] {
        return on_unexpected_block<Predicts, Samples, Lends>(index, vcpu, block);
    }
    const Block& before = vcpu.flow.go_on(block);
    if constexpr (!Predicts && !Lends) return count_expected<Samples>(vcpu, before, block);
    if constexpr (!Predicts && !Samples) return count_lent(vcpu, before, block);
    Counting<Predicts, Samples, Lends>{vcpu, 0}.left(before, block.start != before.fall);
    count_instructions<Samples, Lends>(vcpu, {block, block.count, 0});
}

// Nothing but instructions.
template <bool Samples>
void on_block(unsigned index, void* data) {
    const Block& block = *static_cast<const Block*>(data);
    count_instructions<Samples, false>(vcpu_at(index), {block, block.count, 0});
}

// A block that ends with a repeated string instruction comes again for each repetition, with that
// instruction alone, and with nothing executed in between.
template <bool Samples>
void on_repeated_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    const Block& block = *static_cast<const Block*>(data);
    const std::uint64_t& executed = vcpu.shown->counter[SOFT_INSTRUCTIONS].raw;
    const bool again = block.start == vcpu.repeated && executed == vcpu.executed_by_then;
    const std::uint32_t skipped = again ? 1 : 0;
    count_instructions<Samples, false>(vcpu, {block, block.count - skipped, skipped});
    vcpu.repeated = block.last;
    vcpu.executed_by_then = executed;
}

template <bool Samples, bool Lends, typename Address>
void model_access(Vcpu& vcpu, std::uint64_t accessed, bool store, Address address) {
    if (vcpu.memory->translations.misses(accessed)) {
        add<Samples, Lends>(vcpu, store ? SOFT_DTLB_STORE_MISS_MODEL : SOFT_DTLB_LOAD_MISS_MODEL, 1,
                            address);
    }
    if (!vcpu.memory->level_1.misses(accessed)) return;
    add<Samples, Lends>(vcpu, SOFT_L1D_MISS_MODEL, 1, address);
    if (vcpu.memory->level_2.misses(accessed)) {
        add<Samples, Lends>(vcpu, SOFT_L2_MISS_MODEL, 1, address);
    }
}

// Asking QEMU costs more than all the rest. Programs do not reach devices, but for those that have
// one mapped; what comes before a kernel may reach them anywhere.
bool may_reach_device(std::uint64_t address) {
    return is_upper_half(address) || !plugin.kernel_began.load(std::memory_order_relaxed);
}

// `data` is where the instruction lies.
template <bool Models, bool FindsDevices, bool Samples, bool Lends>
void on_access(unsigned index, qemu_plugin_meminfo_t info, std::uint64_t accessed, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    const auto address = [&](std::uint64_t) { return reinterpret_cast<std::uint64_t>(data); };
    const bool store = qemu_plugin_mem_is_store(info);
    add<Samples, Lends>(vcpu, store ? SOFT_STORES : SOFT_LOADS, 1, address);
    if constexpr (FindsDevices) {
        if (may_reach_device(accessed)) {
            const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, accessed);
            if (is_device(place)) {
                count_device(vcpu, place, {accessed, address(0), store});
                return;
            }
        }
    }
    if constexpr (Models) model_access<Samples, Lends>(vcpu, accessed, store, address);
}

// Calls `with` with its arguments as constants, so that code is made for each of their values.
template <typename With>
auto chosen(With with) {
    return with();
}
template <typename With, typename... Rest>
auto chosen(With with, bool first, Rest... rest) {
    const auto then = [&](auto value) {
        return chosen([&](auto... others) { return with(value, others...); }, rest...);
    };
    return first ? then(std::true_type()) : then(std::false_type());
}

}  // namespace

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
    if (index == 1) {
        vcpu.shown->counter[SOFT_INSTRUCTIONS].raw += std::exchange(plugin.owed_to_second, 0);
    }
    vcpu.index = index;
    if (plugin.guest_page.is_open()) {
        vcpu.lent = &plugin.guest_page.vcpu(index);
        vcpu.alarms = &plugin.guest_page.alarms(index);
    }
    if (plugin.profile.is_open() && vcpu.profile == nullptr) begin_profile(vcpu);
    vcpu.sampled = static_cast<std::uint32_t>(plugin.options.sampled);
    // Its count goes on where another thread left it, or begins.
    const std::uint64_t counted = vcpu.shown->counter[vcpu.sampled].raw;
    if (counted == 0 || vcpu.sample_at == 0) vcpu.sample_at = counted + plugin.options.period;
}

Vcpu& vcpu_at(unsigned index) {
    Vcpu& vcpu = place_of(index);
    if (vcpu.shown == nullptr) [[unlikely]]
        claim_locked(index, vcpu);
    return vcpu;
}

// QEMU adds the block's instructions behind this.
void on_block_alone(unsigned /*index*/, void* data) {
    Vcpu& vcpu = vcpus[0];
    const Block& block = *static_cast<const Block*>(data);
    const std::uint64_t now = vcpu.shown->counter[SOFT_INSTRUCTIONS].raw + block.count;
    if (now >= vcpu.sample_at) [[unlikely]] {
        take_samples(vcpu, SOFT_INSTRUCTIONS, now, Stretch{block, block.count, 0});
    }
}

void count_io(Vcpu& vcpu, std::uint64_t ip) {
    const auto here = [&](std::uint64_t) { return ip; };
    if (vcpu.lent != nullptr) {
        add<true, true>(vcpu, SOFT_IO, 1, here);
    } else {
        add<true, false>(vcpu, SOFT_IO, 1, here);
    }
}

void on_port_read(unsigned index, void* address) {
    count_port(vcpu_at(index), false, reinterpret_cast<std::uint64_t>(address));
}
void on_port_write(unsigned index, void* address) {
    count_port(vcpu_at(index), true, reinterpret_cast<std::uint64_t>(address));
}

qemu_plugin_vcpu_udata_cb_t block_callback(const Block& block) {
    const PluginOptions& options = plugin.options;
    const bool samples = options.period != 0;
    if (options.follows_blocks(plugin.whole_machine)) {
        return chosen(
            [](auto predicts, auto takes_samples, auto lends) -> qemu_plugin_vcpu_udata_cb_t {
                return on_followed_block<predicts, takes_samples, lends>;
            },
            options.predictor, samples, plugin.guest_page.is_open());
    }
    if (block.end == End::repeated) {
        return samples ? on_repeated_block<true> : on_repeated_block<false>;
    }
    return samples ? on_block<true> : on_block<false>;
}

qemu_plugin_vcpu_mem_cb_t access_callback() {
    const PluginOptions& options = plugin.options;
    return chosen(
        [](auto models, auto devices, auto samples, auto lends) -> qemu_plugin_vcpu_mem_cb_t {
            return on_access<models, devices, samples, lends>;
        },
        options.caches, plugin.whole_machine&& options.memory, options.period != 0,
        plugin.guest_page.is_open());
}

}  // namespace ringside::softpmu
