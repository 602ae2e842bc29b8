#include "proofs.h"

#include "thread_world.h"
#include "vpmu/bits.h"

namespace ringside::vpmu::proof {

std::optional<Violation> random_worlds(std::uint64_t steps, std::uint64_t seed) {
    const auto setups = all_setups();
    for (Setup setup : setups) {
        setup.seed = seed;
        World world(setup);
        while (world.steps() <= steps / setups.size() && !world.violation()) world.step();
        if (world.violation()) return world.violation();
    }
    return std::nullopt;
}

std::optional<Violation> random_threads(std::uint64_t steps, std::uint64_t seed) {
    for (const PmuModel& model : {intel_perfmon(4, 3), amd_perfmon_v2(6), arm_pmuv3(6)}) {
        for (const bool skips : {true, false}) {
            ThreadWorld world(model, seed, skips);
            for (std::uint64_t i = 0; i < steps / 6 && !world.violation(); ++i) world.step();
            if (world.violation()) return world.violation();
            if (skips && world.hypercalls() >= world.thread_switches()) {
                return Violation{"unchanged_configurations_need_no_hypercall", "none was saved"};
            }
        }
    }
    return std::nullopt;
}

std::optional<Violation> lazy_against_mediated(std::uint64_t steps, std::uint64_t seed) {
    const PmuModel models[] = {intel_perfmon(8, 4), amd_perfmon_v2(6), arm_pmuv3(6)};
    for (const PmuModel& model : models) {
        for (const bool host_events : {true, false}) {
            Setup setup{.host = model, .guest = model, .host_events = host_events, .seed = seed};
            setup.checks = false;
            setup.policy = Policy::mediated;
            World mediated(setup);
            setup.policy = Policy::lazy_mediated;
            World lazy(setup);
            for (std::uint64_t i = 0; i < steps / 6; ++i) {
                mediated.step();
                lazy.step();
                if (lazy.violation()) return lazy.violation();
                if (lazy.moves() > mediated.moves()) {
                    return Violation{"lazy_never_moves_more",
                                     setup.name() + ", step " + std::to_string(i) + ": " +
                                         std::to_string(lazy.moves()) + " against " +
                                         std::to_string(mediated.moves())};
                }
            }
        }
    }
    return std::nullopt;
}

namespace {

// The happenings of the small world, by number.
constexpr unsigned happenings = 12;

void happen(World& world, const PmuModel& model, unsigned what) {
    const lab::Occurrence one[] = {
        {model.is_arm() ? std::uint16_t{0x08} : std::uint16_t{0xc0}, 0, 1}};
    const std::uint64_t selector = model.is_arm() ? 0x08
                                                  : 0xc0 | x86::select_user | x86::select_kernel |
                                                        x86::select_interrupt | x86::select_enable;
    const auto write = [&](RegisterKind kind, std::uint64_t value) {
        world.access(0, {kind, 0}, true, value, Privilege::kernel);
    };
    switch (what) {
        case 0:
            world.switch_to(0, 0);
            break;
        case 1:
            world.switch_to(0, 1);
            break;
        case 2:
            world.switch_away(0);
            break;
        case 3:
            world.enter(0);
            break;
        case 4:
            world.leave(0, ExitReason::fast);
            break;
        case 5:
            world.leave(0, ExitReason::other);
            break;
        case 6:
            world.run_guest(0, Mode::guest_kernel, one);
            break;
        case 7:
            world.run_host(0, one);
            break;
        case 8:
            write(RegisterKind::selector, selector);
            break;
        case 9:
            write(RegisterKind::counter, model.value_mask(0));
            break;
        case 10:
            if (model.is_arm()) {
                write(RegisterKind::control, 1);
                write(RegisterKind::enable_set, 1);
                write(RegisterKind::interrupt_set, 1);
            } else {
                write(RegisterKind::enable, model.slots());
            }
            break;
        case 11:
            write(model.is_arm() ? RegisterKind::overflow_clear : RegisterKind::status_clear, 1);
            break;
        default:
            break;
    }
}

// All sequences of `depth` happenings after the first vCPU runs, each in a fresh world.
std::optional<Violation> explore(const Setup& setup, unsigned depth, std::uint64_t& worlds) {
    std::uint64_t sequences = 1;
    for (unsigned i = 0; i < depth; ++i) sequences *= happenings;
    for (std::uint64_t code = 0; code < sequences; ++code) {
        World world(setup);
        world.switch_to(0, 0);
        world.enter(0);
        std::uint64_t rest = code;
        for (unsigned i = 0; i < depth && !world.violation(); ++i, rest /= happenings) {
            happen(world, setup.guest, unsigned(rest % happenings));
        }
        world.check_all();
        ++worlds;
        if (world.violation()) return world.violation();
    }
    return std::nullopt;
}

}  // namespace

std::optional<Violation> every_order(unsigned depth, std::uint64_t& worlds) {
    for (const PmuModel& model : {intel_perfmon(2, 0), amd_perfmon_v2(2), arm_pmuv3(2)}) {
        for (unsigned p = 0; p < policy_count; ++p) {
            Setup setup{.host = model, .guest = model, .policy = static_cast<Policy>(p)};
            if (is_logical(setup.policy)) continue;
            setup.cpus = 1;
            setup.vcpus_each = 1;
            setup.host_events = false;
            if (auto broken = explore(setup, depth, worlds)) return broken;
        }
    }
    return std::nullopt;
}

}  // namespace ringside::vpmu::proof
