#include "guest/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guest/boot.h"

namespace ringside::guest {
namespace {

using ::testing::Contains;
using ::testing::Not;

MachineSpec spec_of(const char* name) {
    MachineSpec spec;
    spec.kind = *KindTable::built_in().find(name);
    spec.accelerator = "tcg";
    spec.kernel = "/k";
    spec.initrd = "/i";
    spec.console = "/c";
    return spec;
}

TEST(Machine, ADeterministicKindHasItsClockAndSeedFixed) {
    const auto argv = qemu_arguments(spec_of("arm64-pmu"));
    EXPECT_EQ(argv[0], "qemu-system-aarch64");
    EXPECT_THAT(argv, Contains("shift=0,sleep=off"));
    EXPECT_THAT(argv, Contains("-seed"));
    EXPECT_THAT(argv, Contains("base=2024-01-01T00:00:00,clock=vm"));
    EXPECT_THAT(qemu_arguments(spec_of("x86-guest")), Not(Contains("-icount")));
}

TEST(Machine, PortsAreNamedAndCommasInPathsSurvive) {
    auto spec = spec_of("x86-guest");
    spec.ports = {{"out", "/a,b", ""}, {"status", "/s", "/copy"}};
    const auto argv = qemu_arguments(spec);
    EXPECT_THAT(argv, Contains("file,id=out,path=/a,,b"));
    EXPECT_THAT(argv, Contains("virtserialport,chardev=out,name=out"));
    EXPECT_THAT(argv, Contains("file,id=status,path=/s,logfile=/copy"));
}

TEST(Machine, OnlyOneThatWasGivenANetworkHasOne) {
    auto spec = spec_of("x86-guest");
    EXPECT_THAT(qemu_arguments(spec), Not(Contains("-netdev")));
    ASSERT_TRUE(add_nic(spec.kind, "rtl8139"));
    EXPECT_THAT(spec.kind.modules, Contains("8139cp"));
    EXPECT_THAT(qemu_arguments(spec), Contains("rtl8139,netdev=net0,romfile="));
    const auto unknown = add_nic(spec.kind, "carrier-pigeon");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().hint, ::testing::HasSubstr("virtio-net-pci"));
}

TEST(Machine, APortIsForwardedFromLoopbackOnly) {
    auto spec = spec_of("x86-guest");
    ASSERT_TRUE(add_nic(spec.kind, "rtl8139"));
    spec.kind.forward = Forward{8080, 80};
    EXPECT_THAT(qemu_arguments(spec),
                Contains(::testing::AllOf(::testing::HasSubstr("restrict=on"),
                                          ::testing::EndsWith("hostfwd=tcp:127.0.0.1:8080-:80"))));
}

TEST(Machine, APortCanGoBothWays) {
    auto spec = spec_of("x86-guest");
    spec.ports.push_back({"kernel", "/k", "", true});
    EXPECT_THAT(qemu_arguments(spec), Contains("pipe,id=kernel,path=/k"));
}

TEST(Machine, AnOpenNetworkAndATerminalMustBeAskedFor) {
    auto spec = spec_of("x86-guest");
    EXPECT_THAT(qemu_arguments(spec), Not(Contains("stdio,id=terminal,signal=off")));
    ASSERT_TRUE(add_nic(spec.kind, "virtio-net-pci"));
    EXPECT_THAT(qemu_arguments(spec), Not(Contains("user,id=net0")));
    spec.kind.network = true;
    spec.terminal = true;
    EXPECT_THAT(qemu_arguments(spec), Contains("user,id=net0"));
    EXPECT_THAT(qemu_arguments(spec), Contains("stdio,id=terminal,signal=off"));
}

TEST(Report, FollowsTheInitScript) {
    Report report;
    for (const auto* line : {"init", "beside", "command", "exit 137", "beside-exit 1", "done"}) {
        report.take_line(line);
    }
    EXPECT_EQ(report.phase, "done");
    EXPECT_EQ(report.exit_code, 137);
    EXPECT_EQ(report.beside_exit_code, 1);
}

TEST(Report, IgnoresRubbish) {
    Report report;
    for (const auto* line : {"", "   ", "exit", "exit x"}) report.take_line(line);
    EXPECT_EQ(report.exit_code, std::nullopt);
}

}  // namespace
}  // namespace ringside::guest
