#include "compare/names.h"

#include <gmock/gmock.h>

namespace ringside::compare {
namespace {

TEST(Names, VariantsJoinUnderOneName) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.symbol("libc.so.6", "__memcpy_avx_unaligned_erms"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memmove_evex_unaligned_erms"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memmove_ssse3"), "memcpy");
    EXPECT_EQ(rules.symbol("libc.so.6", "__strspn_sse42"), "__strspn_sse42");
    EXPECT_EQ(rules.symbol("libc.so.6", "__strchr_sse4_2"), "strchr");
    EXPECT_EQ(rules.symbol("libc.so.6", "__memset_avx2_unaligned_rtm"), "memset");
    EXPECT_EQ(rules.symbol("libm.so.6", "__sin_fma"), "sin");
    EXPECT_EQ(rules.symbol("[kernel]", "clear_page_erms"), "clear_page");
    EXPECT_EQ(rules.symbol("libopenblas.so.0", "dgemm_kernel_SKYLAKEX"), "dgemm_kernel");
}

TEST(Names, OthersAreLeftAlone) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.symbol("a.out", "__memcpy_avx_unaligned_erms"), "__memcpy_avx_unaligned_erms");
    EXPECT_EQ(rules.symbol("libc.so.6", "step_2"), "step_2");
    EXPECT_EQ(rules.symbol("libc.so.6", "_int_malloc"), "_int_malloc");
    EXPECT_EQ(rules.symbol("libc.so.6", "_avx2"), "_avx2");
    EXPECT_EQ(rules.symbol("libc.so.6", ""), "");
}

TEST(Names, ModulesAndEvents) {
    const NameRules& rules = NameRules::built_in();
    EXPECT_EQ(rules.module("/lib/x86_64-linux-gnu/libc-2.31.so"), "libc.so.6");
    EXPECT_EQ(rules.module("[guest.kernel.kallsyms.4711]"), "[kernel]");
    EXPECT_EQ(rules.module("//anon"), "//anon");
    EXPECT_EQ(joined_event("cpu-clock:pppH"), "cpu-clock");
    EXPECT_EQ(joined_event("cycles:upp"), "cycles:u");
    EXPECT_EQ(joined_event("sched:sched_switch"), "sched:sched_switch");
    EXPECT_EQ(joined_event("cycles:"), "cycles:");
}

}  // namespace
}  // namespace ringside::compare
