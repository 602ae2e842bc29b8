// What happens at the blocks of a program.
#include "softpmu/chosen.h"
#include "softpmu/follow.h"

namespace ringside::softpmu {

namespace {

template <Ways ways>
void on_followed_block(unsigned index, void* data) {
    follow<ways>(index, place_of(index), *static_cast<const Block*>(data));
}

// Nothing but instructions.
template <bool Samples>
[[gnu::noinline]] void look_at_block(unsigned index, const Block& block) {
    Vcpu& vcpu = vcpu_at(index);
    count_instructions<Samples, false>(vcpu, {block, block.count, 0});
    vcpu.look_at = Samples ? vcpu.sample_at : never;
}

template <bool Samples>
void on_block(unsigned index, void* data) {
    Vcpu& vcpu = place_of(index);
    const Block& block = *static_cast<const Block*>(data);
    std::uint64_t& executed = vcpu.counter[SOFT_INSTRUCTIONS].raw;
    if (executed + block.count >= vcpu.look_at) [[unlikely]]
        return look_at_block<Samples>(index, block);
    executed += block.count;
}

// A block that ends with a repeated string instruction comes again for each repetition, with that
// instruction alone, and with nothing executed in between.
template <bool Samples>
void on_repeated_block(unsigned index, void* data) {
    Vcpu& vcpu = vcpu_at(index);
    const Block& block = *static_cast<const Block*>(data);
    const std::uint64_t& executed = vcpu.counter[SOFT_INSTRUCTIONS].raw;
    const bool again = block.start == vcpu.repeated && executed == vcpu.executed_by_then;
    const std::uint32_t skipped = again ? 1 : 0;
    count_instructions<Samples, false>(vcpu, {block, block.count - skipped, skipped});
    vcpu.repeated = block.last;
    vcpu.executed_by_then = executed;
}

}  // namespace

qemu_plugin_vcpu_udata_cb_t program_block_callback(const Block& block) {
    const PluginOptions& options = plugin.options;
    const bool samples = options.samples_blocks();
    if (options.follows_branches()) {
        return chosen(
            [](auto predicts, auto takes_samples) -> qemu_plugin_vcpu_udata_cb_t {
                return on_followed_block<Ways{true, predicts, takes_samples, false}>;
            },
            options.predictor, samples);
    }
    if (block.end == End::repeated) {
        return samples ? on_repeated_block<true> : on_repeated_block<false>;
    }
    return samples ? on_block<true> : on_block<false>;
}

}  // namespace ringside::softpmu
