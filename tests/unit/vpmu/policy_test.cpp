// The table of policies: what its traits say at run time, and that nobody goes round it.
#include "vpmu/policy.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::vpmu {
namespace {

namespace fs = std::filesystem;

TEST(Policies, FoldedTraitsAreThoseOfTheTable) {
    for (unsigned i = 0; i < policy_count; ++i) {
        const auto policy = static_cast<Policy>(i);
        const PolicyTraits& traits = traits_of(policy);
        SCOPED_TRACE(traits.name);
        EXPECT_EQ(is_backed_by_host(policy), traits.residence == Residence::never);
        EXPECT_EQ(is_lazy(policy), traits.residence == Residence::until_needed);
        EXPECT_EQ(is_logical(policy), traits.reach == Reach::by_hypercall);
        EXPECT_EQ(lends_registers(policy), traits.reach == Reach::by_registers);
        EXPECT_EQ(counts_vmm(policy), traits.counts_vmm);
        EXPECT_EQ(host_sees_guest(policy), traits.host_sees_guest);
        EXPECT_EQ(host_sees_totals(policy), traits.host_sees_totals);
    }
}

TEST(Policies, AreFoundByTheirNameAndNumber) {
    for (unsigned i = 0; i < policy_count; ++i) {
        Policy policy{};
        ASSERT_TRUE(find_policy(policies[i].name, policy));
        EXPECT_EQ(&traits_of(policy), find_traits(i));
    }
    Policy policy = Policy::mediated;
    EXPECT_FALSE(find_policy("generous", policy));
    EXPECT_EQ(policy, Policy::mediated);
    EXPECT_EQ(find_traits(policy_count), nullptr);
    EXPECT_EQ(find_traits(~0u), nullptr);
}

TEST(Policies, ACpuSwitchOnArmMovesRegistersForAnotherVcpuOnly) {
    EXPECT_EQ(residence_of(Policy::cpu_switch, arm_pmuv3(6)), Residence::while_scheduled);
    EXPECT_EQ(residence_of(Policy::cpu_switch, intel_perfmon(8, 4)), Residence::while_in_guest);
}

// Lines that tell policies apart by their names, as code that a new policy would not reach.
std::vector<std::string> comparisons(const std::string& text) {
    static const std::regex comparison(
        "[!=]= *(\\w+::)*Policy::\\w+|Policy::\\w+ *[!=]=|case +(\\w+::)*Policy::\\w+");
    return {std::sregex_token_iterator(text.begin(), text.end(), comparison),
            std::sregex_token_iterator()};
}

TEST(Policies, AreComparedByNameNowhere) {
    const fs::path house = RINGSIDE_SOURCE_DIR;
    for (const char* folder : {"src", "hyp", "softpmu", "examples", "tests/vpmu"}) {
        for (const auto& entry : fs::recursive_directory_iterator(house / folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") continue;
            std::ostringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            EXPECT_THAT(comparisons(text.str()), ::testing::IsEmpty()) << entry.path();
        }
    }
    EXPECT_THAT(comparisons("if (v.policy == Policy::legacy || vpmu::Policy::mediated != p)\n"
                            "    case vpmu::Policy::paravirtual:\n"
                            "Policy policy = Policy::mediated;"),
                ::testing::ElementsAre("== Policy::legacy",
                                       "Policy::mediated !=", "case vpmu::Policy::paravirtual"));
}

}  // namespace
}  // namespace ringside::vpmu
