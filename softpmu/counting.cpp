// What happens while the guest's code is executed: everything here is paid for at each block.
#include <algorithm>
#include <limits>
#include <utility>

#include <unistd.h>

#include "softpmu/chosen.h"
#include "softpmu/count.h"

namespace ringside::softpmu {

namespace {

Vcpu& place_of(unsigned index) {
    return vcpus[index < SOFT_VCPUS ? index : SOFT_VCPUS];
}

[[gnu::noinline]] void claim_locked(unsigned index, Vcpu& vcpu) {
    const std::lock_guard lock(plugin.mutex);
    claim(index, vcpu);
}

// What is done at blocks that are followed, besides counting instructions.
struct Ways {
    bool branches = false;
    bool predicts = false;
    bool samples = false;
    bool lends = false;
};

// What Flow finds out, as counts of one vCPU.
template <Ways ways>
struct Counting {
    Vcpu& vcpu;
    std::int64_t instructions;
    std::uint32_t skipped = 0;  // at the block's front

    void left(const Block& block, bool taken) {
        const auto one_more = [&](soft_counter counter) {
            add<ways.samples, ways.lends>(vcpu, counter, 1,
                                          [&](std::uint64_t) { return block.last; });
        };
        if (ways.branches && is_branch(block.end)) one_more(SOFT_BRANCHES);
        if (ways.branches && taken) one_more(SOFT_TAKEN_BRANCHES);
        if constexpr (ways.predicts) {
            const bool guessed = block.end == End::conditional;
            if (guessed && vcpu.predictor->misses(block.last, taken)) {
                one_more(SOFT_BRANCH_MISS_MODEL);
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

template <bool Branches, bool Samples>
[[gnu::always_inline]] inline void count_expected(Vcpu& vcpu, const Block& before,
                                                  const Block& block) {
    auto& counter = vcpu.shown->counter;
    if constexpr (Branches) {
        counter[SOFT_BRANCHES].raw += is_branch(before.end) ? 1 : 0;
        counter[SOFT_TAKEN_BRANCHES].raw += block.start != before.fall ? 1 : 0;
    }
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
    count_expected<true, false>(vcpu, before, block);
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
template <Ways ways>
[[gnu::noinline]] void on_unexpected_block(unsigned index, Vcpu& vcpu, const Block& block) {
    if (vcpu.shown == nullptr) claim_locked(index, vcpu);
    Counting<ways> counting{vcpu, block.count};
    vcpu.flow.enter_unexpected(block, counting);
    count_instructions<ways.samples, ways.lends>(vcpu,
                                                 {block, counting.instructions, counting.skipped});
}

template <Ways ways>
void on_followed_block(unsigned index, void* data) {
    Vcpu& vcpu = place_of(index);
    const Block& block = *static_cast<const Block*>(data);
    if (!vcpu.flow.expects(block)) [[unlikely]] {
        return on_unexpected_block<ways>(index, vcpu, block);
    }
    const Block& before = vcpu.flow.go_on(block);
    if constexpr (!ways.predicts && !ways.lends) {
        return count_expected<ways.branches, ways.samples>(vcpu, before, block);
    }
    if constexpr (!ways.predicts && !ways.samples) return count_lent(vcpu, before, block);
    Counting<ways>{vcpu, 0}.left(before, block.start != before.fall);
    count_instructions<ways.samples, ways.lends>(vcpu, {block, block.count, 0});
}

// In a machine of which only instructions are counted. Whether the block before it came to its end
// is asked of each block of the kernel. A program's block can be interrupted by nobody else, so
// there it is asked behind the kernel, and when a sample is due.
template <Ways ways>
void on_machine_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpus[index];
    const Block& block = *static_cast<const Block*>(data);
    if (!vcpu.flow.expects(block)) [[unlikely]] {
        return on_unexpected_block<ways>(index, vcpu, block);
    }
    const Block& before = vcpu.flow.go_on(block);
    count_expected<false, ways.samples>(vcpu, before, block);
}

template <Ways ways>
void on_system_block(unsigned index, void* data) {
    on_machine_block<ways>(index, data);
    vcpus[index].look_at = 0;
}

template <Ways ways>
[[gnu::noinline]] void look_at_block(unsigned index, void* data) {
    on_machine_block<ways>(index, data);
    Vcpu& vcpu = vcpus[index];
    vcpu.look_at = ways.samples ? vcpu.sample_at : std::numeric_limits<std::uint64_t>::max();
}

template <Ways ways>
void on_program_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpus[index];
    const Block& block = *static_cast<const Block*>(data);
    const std::uint64_t now = *vcpu.executed + block.count;
    if (now >= vcpu.look_at) [[unlikely]]
        return look_at_block<ways>(index, data);
    *vcpu.executed = now;
    vcpu.flow.go_on(block);
}

// Whether nobody but the kernel can have come in between the block before and this one, nor the
// same one again. Where QEMU itself leaves a block in its middle, it goes on with one instruction.
bool is_programs_own(const Block& block) {
    const bool only_one = block.count == 1 && block.end == End::none;
    return plugin.kernel_began && !block.in_kernel && block.end != End::repeated && !only_one;
}

template <Ways ways>
qemu_plugin_vcpu_udata_cb_t block_callback_of_machine(const Block& block) {
    if (plugin.options.sampled != SOFT_INSTRUCTIONS) return on_machine_block<ways>;
    if (block.end == End::system) return on_system_block<ways>;
    return is_programs_own(block) ? on_program_block<ways> : on_machine_block<ways>;
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
    vcpu.executed = &vcpu.shown->counter[SOFT_INSTRUCTIONS].raw;
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

qemu_plugin_vcpu_udata_cb_t block_callback(const Block& block) {
    const PluginOptions& options = plugin.options;
    const bool samples = options.period != 0;
    if (options.follows_branches()) {
        return chosen(
            [](auto predicts, auto takes_samples, auto lends) -> qemu_plugin_vcpu_udata_cb_t {
                return on_followed_block<Ways{true, predicts, takes_samples, lends}>;
            },
            options.predictor, samples, plugin.guest_page.is_open());
    }
    if (plugin.whole_machine) {
        return samples ? block_callback_of_machine<Ways{.samples = true}>(block)
                       : block_callback_of_machine<Ways{}>(block);
    }
    if (block.end == End::repeated) {
        return samples ? on_repeated_block<true> : on_repeated_block<false>;
    }
    return samples ? on_block<true> : on_block<false>;
}

}  // namespace ringside::softpmu
