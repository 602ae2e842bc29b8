// The register interface against numbers written down from the manuals.
#include "vpmu/registers.h"

#include <gtest/gtest.h>

#include "vpmu/arch.h"
#include "vpmu/bits.h"

namespace ringside::vpmu {
namespace {

using Kind = RegisterKind;

constexpr PmuModel intel = intel_perfmon(8, 4);
constexpr PmuModel amd = amd_perfmon_v2(6);
constexpr PmuModel arm6 = arm_pmuv3(6);
constexpr PmuModel arm_long = arm_pmuv3(6, 6);

struct Pmu {
    explicit Pmu(const PmuModel& which) : model(which), state(reset_state(which)) {}

    Outcome write_msr(std::uint32_t msr, std::uint64_t value) {
        const Register which = decode_msr(model, msr);
        return write_register(model, state, which, value, Privilege::kernel).outcome;
    }
    Access read_msr(std::uint32_t msr) {
        return read_register(model, state, decode_msr(model, msr), Privilege::kernel);
    }
    Outcome write_sysreg(std::uint16_t which, std::uint64_t value,
                         Privilege at = Privilege::kernel) {
        return write_register(model, state, decode_sysreg(model, which), value, at).outcome;
    }
    Access read_sysreg(std::uint16_t which, Privilege at = Privilege::kernel) {
        return read_register(model, state, decode_sysreg(model, which), at);
    }

    PmuModel model;
    PmuState state;
};

constexpr std::uint16_t pmcr = sysreg(3, 3, 9, 12, 0);
constexpr std::uint16_t pmcntenset = sysreg(3, 3, 9, 12, 1);
constexpr std::uint16_t pmovsclr = sysreg(3, 3, 9, 12, 3);
constexpr std::uint16_t pmswinc = sysreg(3, 3, 9, 12, 4);
constexpr std::uint16_t pmselr = sysreg(3, 3, 9, 12, 5);
constexpr std::uint16_t pmccntr = sysreg(3, 3, 9, 13, 0);
constexpr std::uint16_t pmxevtyper = sysreg(3, 3, 9, 13, 1);
constexpr std::uint16_t pmxevcntr = sysreg(3, 3, 9, 13, 2);
constexpr std::uint16_t pmuserenr = sysreg(3, 3, 9, 14, 0);
constexpr std::uint16_t pmintenset = sysreg(3, 0, 9, 14, 1);
constexpr std::uint16_t pmovsset = sysreg(3, 3, 9, 14, 3);
constexpr std::uint16_t pmccfiltr = sysreg(3, 3, 14, 15, 7);
constexpr std::uint16_t pmevcntr(unsigned n) {
    return sysreg(3, 3, 14, 8 + n / 8, n % 8);
}
constexpr std::uint16_t pmevtyper(unsigned n) {
    return sysreg(3, 3, 14, 12 + n / 8, n % 8);
}

TEST(Registers, AreFoundByTheirNumbers) {
    EXPECT_EQ(decode_msr(intel, 0xc1), (Register{Kind::counter_low, 0}));
    EXPECT_EQ(decode_msr(intel, 0x4c8), (Register{Kind::counter, 7}));
    EXPECT_EQ(decode_msr(intel, 0x188), (Register{Kind::selector, 2}));
    EXPECT_EQ(decode_msr(intel, 0x30c), (Register{Kind::counter, 35}));
    EXPECT_EQ(decode_msr(intel, 0x38f), (Register{Kind::enable, 0}));
    EXPECT_EQ(decode_msr(amd, 0xc0010202), (Register{Kind::selector, 1}));
    EXPECT_EQ(decode_msr(amd, 0xc001020b), (Register{Kind::counter, 5}));
    EXPECT_EQ(decode_msr(amd, 0xc0010007), (Register{Kind::counter, 3}));
    EXPECT_EQ(decode_msr(amd, 0xc0000302), (Register{Kind::status_clear, 0}));
    EXPECT_EQ(decode_rdpmc(intel, 1u << 30 | 1), (Register{Kind::counter_read, 33}));
    EXPECT_EQ(decode_sysreg(arm6, pmevcntr(5)), (Register{Kind::counter, 5}));
    EXPECT_EQ(decode_sysreg(arm6, pmccfiltr), (Register{Kind::selector, 31}));
}

TEST(Registers, ThoseOfMissingCountersAreNone) {
    const PmuModel small = intel_perfmon(4, 3, 2);
    EXPECT_EQ(decode_msr(small, 0xc5).kind, Kind::none);
    EXPECT_EQ(decode_msr(small, 0x30c).kind, Kind::none);
    EXPECT_EQ(decode_msr(small, 0x391).kind, Kind::none) << "GLOBAL_STATUS_SET came with version 4";
    EXPECT_EQ(decode_rdpmc(small, 4).kind, Kind::none);
    EXPECT_EQ(decode_rdpmc(small, 1u << 31).kind, Kind::none);
    EXPECT_EQ(decode_msr(amd, 0xc001020c).kind, Kind::none);
    EXPECT_EQ(decode_sysreg(arm6, pmevcntr(6)).kind, Kind::none);
    EXPECT_EQ(decode_sysreg(arm6, pmevcntr(31)).kind, Kind::none);
    EXPECT_EQ(decode_msr(arm6, 0xc1).kind, Kind::none);
}

TEST(Intel, OldCounterAddressesExtendTheSign) {
    Pmu pmu(intel);
    EXPECT_EQ(pmu.write_msr(0xc1, 0x123480000000), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0xc1).value, 0xffff80000000u);
    EXPECT_EQ(pmu.write_msr(0x4c1, 0x123480000000), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0xc1).value, 0x123480000000u);
    EXPECT_EQ(pmu.write_msr(0x4c1, 1ull << 48), Outcome::undefined);
}

TEST(Intel, ReservedBitsFaultAndChangeNothing) {
    Pmu pmu(intel);
    pmu.write_msr(0x186, 0x4300c0);
    EXPECT_EQ(pmu.write_msr(0x186, 1u << 21), Outcome::undefined);
    EXPECT_EQ(pmu.write_msr(0x186, 1ull << 32), Outcome::undefined);
    EXPECT_EQ(pmu.read_msr(0x186).value, 0x4300c0u);
    EXPECT_EQ(pmu.write_msr(0x38d, 0x4), Outcome::undefined);
    EXPECT_EQ(pmu.write_msr(0x38d, 0xbbbb), Outcome::done);
    EXPECT_EQ(pmu.write_msr(0x38f, 1ull << 36), Outcome::undefined);
    EXPECT_EQ(pmu.write_msr(0x38e, 0), Outcome::undefined) << "GLOBAL_STATUS is read-only";
}

TEST(Intel, StatusIsClearedByOnesAndSetByOnes) {
    Pmu pmu(intel);
    EXPECT_EQ(pmu.write_msr(0x391, 0x300000003), Outcome::done);
    EXPECT_EQ(pmu.write_msr(0x390, 0x100000001), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0x38e).value, 0x200000002u);
    EXPECT_EQ(pmu.read_msr(0x390).value, 0u);
}

TEST(Intel, CountersStartEnabledGlobally) {
    EXPECT_EQ(Pmu(intel).read_msr(0x38f).value, 0xffu);
}

TEST(Intel, ReadingFromUserModeNeedsTheFlag) {
    Pmu pmu(intel);
    const Register counter = decode_rdpmc(intel, 0);
    EXPECT_EQ(read_register(intel, pmu.state, counter, Privilege::user).outcome,
              Outcome::undefined);
    pmu.state.user_enable = 1;
    EXPECT_EQ(read_register(intel, pmu.state, counter, Privilege::user).outcome, Outcome::done);
    EXPECT_EQ(read_register(intel, pmu.state, decode_msr(intel, 0x38f), Privilege::user).outcome,
              Outcome::undefined);
}

TEST(Amd, ReservedBitsAreIgnored) {
    Pmu pmu(amd);
    EXPECT_EQ(pmu.write_msr(0xc0010200, ~0ull), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0xc0010200).value, 0xfffd7ffffu) << "no HostOnly, no GuestOnly";
    EXPECT_EQ(pmu.write_msr(0xc0010201, ~0ull), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0xc0010201).value, 0xffffffffffffu);
    EXPECT_EQ(pmu.write_msr(0xc0000300, 1), Outcome::ignored);
    EXPECT_EQ(pmu.write_msr(0xc0000301, ~0ull), Outcome::done);
    EXPECT_EQ(pmu.read_msr(0xc0000301).value, 0x3fu);
}

TEST(Amd, OldAddressesAreAliases) {
    Pmu pmu(amd);
    pmu.write_msr(0xc0010001, 0x430076);
    EXPECT_EQ(pmu.read_msr(0xc0010202).value, 0x430076u);
    EXPECT_EQ(event_of(amd, pmu.state, 1).select, 0x76);
    pmu.write_msr(0xc0010202, 0x100430076ull);
    EXPECT_EQ(event_of(amd, pmu.state, 1).select, 0x176);
}

TEST(Arm, PmcrShowsTheCountersAndResetsThem) {
    Pmu pmu(arm6);
    pmu.write_sysreg(pmevcntr(2), 7);
    pmu.write_sysreg(pmccntr, 9);
    EXPECT_EQ(pmu.write_sysreg(pmcr, 0x3), Outcome::done);
    EXPECT_EQ(pmu.read_sysreg(pmcr).value, 6u << 11 | 1u) << "P reads as zero";
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(2)).value, 0u);
    EXPECT_EQ(pmu.read_sysreg(pmccntr).value, 9u) << "P spares the cycle counter";
    pmu.write_sysreg(pmcr, 0x4);
    EXPECT_EQ(pmu.read_sysreg(pmccntr).value, 0u);
}

TEST(Arm, UnimplementedBitsReadAsZero) {
    Pmu pmu(arm6);
    pmu.write_sysreg(pmcntenset, ~0ull);
    EXPECT_EQ(pmu.read_sysreg(pmcntenset).value, 0x8000003fu);
    pmu.write_sysreg(pmovsset, ~0ull);
    pmu.write_sysreg(pmovsclr, 0x8000000f);
    EXPECT_EQ(pmu.read_sysreg(pmovsset).value, 0x30u);
    pmu.write_sysreg(pmevtyper(0), ~0ull);
    EXPECT_EQ(pmu.read_sysreg(pmevtyper(0)).value, 0xc000ffffu) << "NSH is RES0 without EL2";
    pmu.write_sysreg(pmccfiltr, ~0ull);
    EXPECT_EQ(pmu.read_sysreg(pmccfiltr).value, 0xc0000000u);
}

TEST(Arm, SelectedRegistersFollowPmselr) {
    Pmu pmu(arm6);
    pmu.write_sysreg(pmselr, 3);
    pmu.write_sysreg(pmxevtyper, 0x11);
    pmu.write_sysreg(pmxevcntr, 42);
    EXPECT_EQ(pmu.read_sysreg(pmevtyper(3)).value, 0x11u);
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(3)).value, 42u);
    pmu.write_sysreg(pmselr, 31);
    EXPECT_EQ(pmu.write_sysreg(pmxevtyper, 1u << 31), Outcome::done);
    EXPECT_EQ(pmu.read_sysreg(pmccfiltr).value, 1u << 31);
    EXPECT_EQ(pmu.read_sysreg(pmxevcntr).outcome, Outcome::undefined);
    pmu.write_sysreg(pmselr, 6);
    EXPECT_EQ(pmu.read_sysreg(pmxevtyper).outcome, Outcome::undefined);
}

TEST(Arm, SoftwareIncrementAndChainCount) {
    Pmu pmu(arm6);
    pmu.write_sysreg(pmcr, 1);
    pmu.write_sysreg(pmevtyper(0), 0x00);
    pmu.write_sysreg(pmevtyper(1), 0x1e);
    pmu.write_sysreg(pmcntenset, 3);
    pmu.write_sysreg(pmevcntr(0), 0xffffffff);
    EXPECT_EQ(pmu.write_sysreg(pmswinc, 0x3), Outcome::done);
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(0)).value, 0u);
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(1)).value, 1u);
    EXPECT_EQ(pmu.read_sysreg(pmovsset).value, 1u);
}

TEST(Arm, OverflowWidthFollowsPmcr) {
    Pmu pmu(arm_long);
    pmu.write_sysreg(pmevcntr(0), 0xffffffff);
    EXPECT_EQ(advance(arm_long, pmu.state, 0, 1), 1u) << "LP clear: a carry out of 32 bits";
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(0)).value, 0x100000000u) << "the counter goes on";
    pmu.write_sysreg(pmcr, 0xc0);
    pmu.write_sysreg(pmevcntr(0), 0xffffffff);
    EXPECT_EQ(advance(arm_long, pmu.state, 0, 1), 0u);
    pmu.write_sysreg(pmccntr, ~0ull);
    EXPECT_EQ(advance(arm_long, pmu.state, 31, 1), 1u << 31);
}

TEST(Arm, InterruptIsALevel) {
    Pmu pmu(arm6);
    pmu.write_sysreg(pmintenset, 1);
    pmu.write_sysreg(pmovsset, 1);
    EXPECT_FALSE(interrupt_level(arm6, pmu.state)) << "PMCR.E is clear";
    pmu.write_sysreg(pmcr, 1);
    EXPECT_TRUE(interrupt_level(arm6, pmu.state));
    pmu.write_sysreg(pmovsclr, 1);
    EXPECT_FALSE(interrupt_level(arm6, pmu.state));
}

TEST(Arm, UserModeMayDoWhatPmuserenrSays) {
    Pmu pmu(arm6);
    EXPECT_EQ(pmu.read_sysreg(pmccntr, Privilege::user).outcome, Outcome::undefined);
    EXPECT_EQ(pmu.read_sysreg(pmuserenr, Privilege::user).outcome, Outcome::done);
    EXPECT_EQ(pmu.write_sysreg(pmuserenr, 1, Privilege::user), Outcome::undefined);
    pmu.write_sysreg(pmuserenr, arm::user_cycles);
    EXPECT_EQ(pmu.read_sysreg(pmccntr, Privilege::user).outcome, Outcome::done);
    EXPECT_EQ(pmu.write_sysreg(pmccntr, 0, Privilege::user), Outcome::undefined);
    EXPECT_EQ(pmu.read_sysreg(pmevcntr(0), Privilege::user).outcome, Outcome::undefined);
    pmu.write_sysreg(pmuserenr, arm::user_enable);
    EXPECT_EQ(pmu.write_sysreg(pmevcntr(0), 5, Privilege::user), Outcome::done);
    EXPECT_EQ(pmu.write_sysreg(pmintenset, 1, Privilege::user), Outcome::undefined);
}

TEST(Models, ImpossibleOnesAreTold) {
    EXPECT_TRUE(is_possible(intel));
    EXPECT_TRUE(is_possible(amd));
    EXPECT_TRUE(is_possible(arm_pmuv3(31)));
    EXPECT_FALSE(is_possible(intel_perfmon(9, 4)));
    EXPECT_FALSE(is_possible(intel_perfmon(8, 5)));
    EXPECT_FALSE(is_possible(intel_perfmon(0, 0)));
    EXPECT_FALSE(is_possible(amd_perfmon_v2(17)));
    PmuModel holes = intel;
    holes.general = 0b101;
    EXPECT_FALSE(is_possible(holes));
}

}  // namespace
}  // namespace ringside::vpmu
