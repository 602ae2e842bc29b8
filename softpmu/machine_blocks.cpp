// What happens at the blocks of a machine. Whether the block before came to its end is asked of
// each block of the kernel. A program's block can be interrupted by nobody else, so there it is
// asked behind the kernel, and when a sample is due; all others are added up.
#include "softpmu/chosen.h"
#include "softpmu/follow.h"

namespace ringside::softpmu {

namespace {

// How many instructions must have been executed for a guest's alarm. It is set by the kernel, on
// this very vCPU, so it stays while a program runs. No event comes more often than instructions.
std::uint64_t next_alarm(const Vcpu& vcpu) {
    const auto* own = vcpu.counter;
    const std::uint64_t executed = own[SOFT_INSTRUCTIONS].raw;
    const std::uint64_t by_programs = executed - own[SOFT_KERNEL_INSTRUCTIONS].raw;
    std::uint64_t least = never;
    const auto consider = [&](unsigned counter, std::uint64_t now) {
        const std::uint64_t limit = load(vcpu.alarms->counter[counter].limit);
        const std::uint64_t left = limit > now ? limit - now : 0;
        least = std::min(least, left < never - executed ? executed + left : never);
    };
    consider(SOFT_INSTRUCTIONS, executed);
    consider(SOFT_USER_INSTRUCTIONS, by_programs);
    for (const auto counter : {SOFT_BRANCHES, SOFT_TAKEN_BRANCHES, SOFT_BRANCH_MISS_MODEL}) {
        consider(counter, own[counter].raw);
    }
    return least;
}

template <Ways ways>
void on_machine_block(unsigned index, void* data) {
    follow<ways>(index, vcpus[index], *static_cast<const Block*>(data));
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
    vcpu.look_at = ways.samples ? vcpu.sample_at : never;
    if constexpr (ways.lends) vcpu.look_at = std::min(vcpu.look_at, next_alarm(vcpu));
}

// To the guest, for which nothing is due.
template <Ways ways>
void show_to_guest(Vcpu& vcpu) {
    const auto* own = vcpu.counter;
    auto& lent = vcpu.lent->counter;
    const std::uint64_t executed = own[SOFT_INSTRUCTIONS].raw;
    show(lent[SOFT_INSTRUCTIONS].raw, executed);
    show(lent[SOFT_USER_INSTRUCTIONS].raw, executed - own[SOFT_KERNEL_INSTRUCTIONS].raw);
    show(lent[SOFT_BRANCHES].raw, own[SOFT_BRANCHES].raw);
    show(lent[SOFT_TAKEN_BRANCHES].raw, own[SOFT_TAKEN_BRANCHES].raw);
    if constexpr (ways.predicts) {
        show(lent[SOFT_BRANCH_MISS_MODEL].raw, own[SOFT_BRANCH_MISS_MODEL].raw);
    }
}

template <Ways ways>
void on_program_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpus[index];
    const Block& block = *static_cast<const Block*>(data);
    std::uint64_t& executed = vcpu.counter[SOFT_INSTRUCTIONS].raw;
    if (executed + block.count >= vcpu.look_at) [[unlikely]]
        return look_at_block<ways>(index, data);
    executed += block.count;
    const Block& before = vcpu.flow.go_on(block);
    if constexpr (ways.branches) count_branch<ways>(vcpu, before, block);
    if constexpr (ways.lends) show_to_guest<ways>(vcpu);
}

// Whether nobody but the kernel can have come in between the block before and this one, nor the
// same one again. Where QEMU itself leaves a block in its middle, it goes on with one instruction.
bool is_programs_own(const Block& block) {
    const bool only_one = block.count == 1 && block.end == End::none;
    return plugin.kernel_began && !block.in_kernel && block.end != End::repeated && !only_one;
}

// If of any, then of instructions.
constexpr Ways with_samples_of_instructions(Ways ways) {
    ways.samples_instructions = ways.samples;
    return ways;
}

template <Ways ways>
qemu_plugin_vcpu_udata_cb_t callback_of(const Block& block) {
    if (plugin.options.samples_another_of_blocks()) return on_machine_block<ways>;
    constexpr Ways usual = with_samples_of_instructions(ways);
    if (block.end == End::system) return on_system_block<usual>;
    return is_programs_own(block) ? on_program_block<usual> : on_machine_block<usual>;
}

}  // namespace

qemu_plugin_vcpu_udata_cb_t machine_block_callback(const Block& block) {
    const PluginOptions& options = plugin.options;
    if (!options.follows_branches()) {
        return options.samples_blocks() ? callback_of<Ways{.samples = true}>(block)
                                        : callback_of<Ways{}>(block);
    }
    return chosen(
        [&](auto predicts, auto samples, auto lends) {
            return callback_of<Ways{true, predicts, samples, lends}>(block);
        },
        options.predictor, options.samples_blocks(), plugin.guest_page.is_open());
}

}  // namespace ringside::softpmu
