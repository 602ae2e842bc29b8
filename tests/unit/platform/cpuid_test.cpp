#include "platform/cpuid.h"

#include <gtest/gtest.h>

namespace ringside::platform {
namespace {

TEST(Cpuid, ReadsARecordingAndIgnoresOtherLines) {
    const auto cpuid = Cpuid::from_text(
        "# leaf subleaf eax ebx ecx edx\n"
        "00000000 0 00000010 68747541 444d4163 69746e65\n"
        "00000004 1 1 2 3 4\n"
        "00000001 0 1 2 3\n"
        "xyz 0 1 2 3 4\n"
        "00000002 0 100000000 0 0 0\n");
    ASSERT_TRUE(cpuid.readable());
    EXPECT_EQ(cpuid.read(0)->eax, 0x10u);
    EXPECT_EQ(cpuid.read(4, 1)->edx, 4u);
    EXPECT_FALSE(cpuid.read(4));
    EXPECT_FALSE(cpuid.read(1));
    EXPECT_FALSE(cpuid.read(2));
    EXPECT_FALSE(cpuid.hypervisor_bit());
}

TEST(Cpuid, ThereIsNothingToReadWithoutARecording) {
    EXPECT_FALSE(Cpuid().readable());
    EXPECT_FALSE(Cpuid::from_text("").readable());
    EXPECT_TRUE(hypervisor_signatures(Cpuid()).empty());
}

TEST(Cpuid, FindsEverySignature) {
    const auto cpuid = Cpuid::from_text(
        "40000000 0 40000005 7263694d 666f736f 76482074\n"
        "40000100 0 40000101 4b4d564b 564b4d56 0000004d\n");
    const auto found = hypervisor_signatures(cpuid);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].text, "Microsoft Hv");
    EXPECT_EQ(found[1].base, 0x40000100u);
    EXPECT_EQ(found[1].text, "KVMKVMKVM");
}

// KVM gives Intel guests the data of the highest basic leaf for a leaf that does not exist.
TEST(Cpuid, AnAnswerThatBelongsToAnotherLeafIsNoSignature) {
    const auto cpuid = Cpuid::from_text("40000200 0 00000e10 00001324 00000064 00000000\n");
    EXPECT_TRUE(hypervisor_signatures(cpuid).empty());
}

TEST(Cpuid, TheLiveOneKnowsItsRange) {
    const auto cpuid = Cpuid::live();
    if (!cpuid.readable()) GTEST_SKIP() << "no CPUID instruction on this architecture";
    EXPECT_FALSE(cpuid.read(0x3fffffff));
    EXPECT_FALSE(cpuid.read(0x7fffffff));
    EXPECT_TRUE(cpuid.read(1));
}

}  // namespace
}  // namespace ringside::platform
