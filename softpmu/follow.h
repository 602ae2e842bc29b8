// Counting at blocks that are compared with the one before them. Everything here is paid for at
// each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "softpmu/count.h"

namespace ringside::softpmu {

// No count comes there.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

// What is done at blocks that are followed, besides counting instructions.
struct Ways {
    bool branches = false;
    bool predicts = false;
    bool samples = false;
    bool lends = false;
    bool samples_instructions = false;  // and nothing else
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
            if (guessed && vcpu.predictor->misses(block.predicted_at, taken)) {
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
        const auto* counter = vcpu.counter;
        lend(vcpu, SOFT_USER_INSTRUCTIONS,
             counter[SOFT_INSTRUCTIONS].raw - counter[SOFT_KERNEL_INSTRUCTIONS].raw,
             stretch.executed, stretch);
    }
}

[[gnu::noinline]] inline void take_due_samples(Vcpu& vcpu, const Block& before,
                                               const Block& block) {
    const auto sampled = static_cast<soft_counter>(vcpu.sampled);
    const std::uint64_t now = vcpu.counter[sampled].raw;
    if (sampled == SOFT_BRANCHES || sampled == SOFT_TAKEN_BRANCHES) {
        take_samples(vcpu, sampled, now, [&](std::uint64_t) { return before.last; });
    } else {
        take_samples(vcpu, sampled, now, Stretch{block, block.count, 0});
    }
}

// The same as Counting::left() and count_instructions(), for a block that was expected, as nearly
// all are.
template <Ways ways>
[[gnu::always_inline]] inline void count_branch(Vcpu& vcpu, const Block& before,
                                                const Block& block) {
    auto* counter = vcpu.counter;
    const std::uint64_t taken = block.start != before.fall ? 1 : 0;
    counter[SOFT_TAKEN_BRANCHES].raw += taken;
    if (before.end == End::conditional) {
        counter[SOFT_BRANCHES].raw += 1;
        if constexpr (ways.predicts) {
            const bool missed = vcpu.predictor->misses(before.predicted_at, taken);
            counter[SOFT_BRANCH_MISS_MODEL].raw += missed ? 1 : 0;
        }
    } else {
        counter[SOFT_BRANCHES].raw += is_branch(before.end) ? 1 : 0;
    }
}

template <Ways ways>
[[gnu::always_inline]] inline void count_expected(Vcpu& vcpu, const Block& before,
                                                  const Block& block) {
    auto* counter = vcpu.counter;
    if constexpr (ways.branches) count_branch<ways>(vcpu, before, block);
    counter[SOFT_INSTRUCTIONS].raw += block.count;
    if (block.in_kernel) counter[SOFT_KERNEL_INSTRUCTIONS].raw += block.count;
    if constexpr (ways.samples) {
        const unsigned sampled =
            ways.samples_instructions ? unsigned{SOFT_INSTRUCTIONS} : vcpu.sampled;
        if (counter[sampled].raw >= vcpu.sample_at) [[unlikely]]
            take_due_samples(vcpu, before, block);
    }
}

// And for a guest that sees all of it.
[[gnu::noinline]] inline void sound_alarms(Vcpu& vcpu, const Block& before, const Block& block) {
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

inline void count_lent(Vcpu& vcpu, const Block& before, const Block& block) {
    count_expected<Ways{.branches = true}>(vcpu, before, block);
    const auto* own = vcpu.counter;
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
[[gnu::always_inline]] inline void follow(unsigned index, Vcpu& vcpu, const Block& block) {
    if (!vcpu.flow.expects(block)) [[unlikely]] {
        return on_unexpected_block<ways>(index, vcpu, block);
    }
    const Block& before = vcpu.flow.go_on(block);
    constexpr bool samples_others = ways.samples && !ways.samples_instructions;
    if constexpr (!ways.lends && !(ways.predicts && samples_others)) {
        return count_expected<ways>(vcpu, before, block);
    }
    if constexpr (!ways.predicts && !ways.samples) return count_lent(vcpu, before, block);
    Counting<ways>{vcpu, 0}.left(before, block.start != before.fall);
    count_instructions<ways.samples, ways.lends>(vcpu, {block, block.count, 0});
}

}  // namespace ringside::softpmu
