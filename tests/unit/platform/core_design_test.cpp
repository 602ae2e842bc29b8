#include "platform/core_design.h"

#include <gtest/gtest.h>

namespace ringside::platform {
namespace {

TEST(CoreDesign, IsFoundByFamilyAndModelOrPart) {
    const auto x86 = [](const char* vendor, int family, int model) {
        return core_design(parse_cpuinfo("vendor_id : " + std::string(vendor) +
                                         "\ncpu family : " + std::to_string(family) +
                                         "\nmodel : " + std::to_string(model) + "\n"));
    };
    EXPECT_EQ(x86("GenuineIntel", 6, 85), "skylake");
    EXPECT_EQ(x86("GenuineIntel", 6, 143), "golden-cove");
    EXPECT_EQ(x86("GenuineIntel", 15, 85), "");
    EXPECT_EQ(x86("AuthenticAMD", 25, 17), "zen4");
    EXPECT_EQ(x86("AuthenticAMD", 25, 1), "");
    const auto arm = parse_cpuinfo("CPU implementer : 0x41\nCPU part : 0xd49\n");
    EXPECT_EQ(core_design(arm), "neoverse-n2");
    EXPECT_EQ(core_design(parse_cpuinfo("")), "");
}

}  // namespace
}  // namespace ringside::platform
