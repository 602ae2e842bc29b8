#include "platform/permissions.h"

#include <gtest/gtest.h>

#include "temp_tree.h"

namespace ringside::platform {
namespace {

Permissions with(int paranoid, std::uint64_t capabilities) {
    Permissions permissions;
    permissions.perf_event_paranoid = known(paranoid, "test", "test");
    permissions.effective_capabilities = known(capabilities, "test", "test");
    return permissions;
}

constexpr std::uint64_t perfmon = std::uint64_t{1} << 38;

TEST(Permissions, EachParanoidLevelTakesSomethingAway) {
    EXPECT_TRUE(with(1, 0).may_count_kernel());
    EXPECT_FALSE(with(2, 0).may_count_kernel());
    EXPECT_TRUE(with(2, 0).may_count_user());
    EXPECT_FALSE(with(3, 0).may_count_user());
    EXPECT_TRUE(with(3, perfmon).may_count_kernel());
}

TEST(Permissions, CapabilitiesOfAnotherUserNamespaceDoNotCount) {
    auto permissions = with(2, perfmon);
    EXPECT_TRUE(permissions.privileged_for_perf());
    permissions.initial_user_namespace = known(false, "test", "test");
    EXPECT_FALSE(permissions.privileged_for_perf());
}

TEST(Permissions, AKernelWithoutPerfAllowsNothing) {
    Permissions permissions;
    permissions.effective_capabilities = known(~std::uint64_t{0}, "test", "test");
    EXPECT_FALSE(permissions.may_count_user());
    EXPECT_FALSE(permissions.may_count_kernel());
}

TEST(Permissions, AreReadFromStatus) {
    TempTree tree;
    tree.put("/proc/self/status",
             "Uid:\t1000\t0\t0\t0\nCapEff:\t000000c000200000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    const auto permissions = read_permissions(tree.root());
    EXPECT_TRUE(permissions.has(Capability::perfmon));
    EXPECT_TRUE(permissions.has(Capability::bpf));
    EXPECT_TRUE(permissions.has(Capability::sys_admin));
    EXPECT_FALSE(permissions.has(Capability::syslog));
    EXPECT_EQ(permissions.effective_uid.value, 0);
    EXPECT_EQ(permissions.no_new_privs.value, true);
    EXPECT_EQ(permissions.seccomp_mode.value, 2);
}

TEST(Permissions, TheLockdownLevelIsInBrackets) {
    EXPECT_EQ(parse_lockdown("none integrity [confidentiality]"), "confidentiality");
    EXPECT_EQ(parse_lockdown("] ["), "");
    EXPECT_EQ(parse_lockdown("none"), "");
}

}  // namespace
}  // namespace ringside::platform
