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

// Zeros for a closed network come from a program.
TEST(Machine, EachHasASandboxAndOneOfThemMayStartPrograms) {
    const std::string strict =
        "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
    const std::string starts_programs =
        "on,obsolete=deny,elevateprivileges=allow,spawn=allow,resourcecontrol=deny";
    for (const Kind* kind : KindTable::built_in().bootable()) {
        auto spec = spec_of(kind->name.c_str());
        EXPECT_THAT(qemu_arguments(spec), Contains(strict)) << kind->name;
        ASSERT_TRUE(add_nic(spec.kind, "e1000"));
        EXPECT_THAT(qemu_arguments(spec), Contains(starts_programs)) << kind->name;
        spec.kind.network = true;
        EXPECT_THAT(qemu_arguments(spec), Contains(strict)) << kind->name;
    }
}

// QEMU would cut short what it opens, which a pipe cannot be.
TEST(Machine, IsLentPipesThatItAppendsTo) {
    auto spec = spec_of("x86-guest");
    spec.lent_fds = {{7, "/tmp/a,b"}};
    spec.console = lent_pipe(7);
    const auto argv = qemu_arguments(spec);
    EXPECT_THAT(argv, Contains("fd=7,set=7,opaque=/tmp/a,,b"));
    EXPECT_THAT(argv, Contains("file,id=console,path=/dev/fdset/7,append=on"));
    EXPECT_THAT(argv, Contains("chardev:console"));
}

TEST(Machine, PortsAreNamedAndCommasInPathsSurvive) {
    auto spec = spec_of("x86-guest");
    spec.ports = {{"out", "/a,b", ""}, {"status", "/s", "/copy"}};
    const auto argv = qemu_arguments(spec);
    EXPECT_THAT(argv, Contains("file,id=out,path=/a,,b,append=on"));
    EXPECT_THAT(argv, Contains("virtserialport,chardev=out,name=out"));
    EXPECT_THAT(argv, Contains("file,id=status,path=/s,append=on,logfile=/copy"));
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
    spec.ports.push_back({"kernel", "", "", 9});
    EXPECT_THAT(qemu_arguments(spec), Contains("socket,id=kernel,fd=9"));
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
