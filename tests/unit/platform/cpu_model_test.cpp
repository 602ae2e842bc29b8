#include "platform/cpu_model.h"

#include <gtest/gtest.h>

namespace ringside::platform {
namespace {

TEST(CpuModel, OfX86) {
    const auto cpu = parse_cpuinfo(
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
        "model name\t: AMD EPYC\nstepping\t: 1\nflags\t\t: fpu svm\n");
    EXPECT_EQ(cpu.arch, Arch::x86);
    EXPECT_EQ(cpu.vendor.value, "AuthenticAMD");
    EXPECT_EQ(cpu.name.value, "AMD EPYC");
    EXPECT_EQ(cpu.family, 25);
    EXPECT_EQ(cpu.model, 17);
    EXPECT_EQ(cpu.stepping, 1);
    EXPECT_TRUE(cpu.has_flag("svm"));
    EXPECT_FALSE(cpu.has_flag("sv"));
}

TEST(CpuModel, OfArm64) {
    const auto cpu = parse_cpuinfo(
        "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
    EXPECT_EQ(cpu.arch, Arch::arm64);
    EXPECT_EQ(cpu.vendor.value, "0x41");
    EXPECT_EQ(cpu.name.value, "0xd0c");
    EXPECT_TRUE(cpu.has_flag("asimd"));
}

TEST(CpuModel, OfGarbage) {
    const auto cpu = parse_cpuinfo("vendor_id: \x01\x02\nmodel: 99999999999\n:::\n");
    EXPECT_EQ(cpu.arch, Arch::x86);
    EXPECT_FALSE(cpu.vendor.value);
    EXPECT_FALSE(cpu.name.value);
    EXPECT_FALSE(cpu.model);
}

}  // namespace
}  // namespace ringside::platform
