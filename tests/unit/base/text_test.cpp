#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::base {
namespace {

using ::testing::ElementsAre;

TEST(Text, TrimDropsBlanksOnBothSides) {
    EXPECT_EQ(trim("  a b\t\n"), "a b");
    EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, TrimEndDropsNulBytesOfDeviceTreeStrings) {
    EXPECT_EQ(trim_end(std::string_view("kvm\0\n", 5)), "kvm");
}

TEST(Text, SplitKeepsEmptyFields) {
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Text, SplitWordsDropsRunsOfBlanks) {
    EXPECT_THAT(split_words("  cpu0  1\t2 "), ElementsAre("cpu0", "1", "2"));
    EXPECT_TRUE(split_words(" ").empty());
}

TEST(Text, SplitLinesTakesALastLineWithoutEnd) {
    EXPECT_THAT(split_lines("a\r\nb"), ElementsAre("a", "b"));
    EXPECT_THAT(split_lines("a\n\n"), ElementsAre("a", ""));
}

TEST(Text, NumbersMustBeWhole) {
    EXPECT_EQ(parse_u64("42"), 42u);
    EXPECT_EQ(parse_u64("0x1f", 16), 31u);
    EXPECT_FALSE(parse_u64("42 "));
    EXPECT_FALSE(parse_u64("-1"));
    EXPECT_FALSE(parse_u64(""));
    EXPECT_FALSE(parse_u64("18446744073709551616"));
    EXPECT_EQ(parse_i64("-7"), -7);
}

TEST(Text, CpuListsAreBounded) {
    EXPECT_THAT(*parse_cpu_list("0-2,5\n"), ElementsAre(0, 1, 2, 5));
    EXPECT_TRUE(parse_cpu_list("")->empty());
    EXPECT_FALSE(parse_cpu_list("3-1"));
    EXPECT_FALSE(parse_cpu_list("0-4000000000"));
    EXPECT_FALSE(parse_cpu_list("0-65535,0-65535"));
    EXPECT_FALSE(parse_cpu_list("a"));
}

TEST(Text, FindFieldTakesTheFirstLineWithTheKey) {
    const std::string_view cpuinfo = "vendor_id\t: AuthenticAMD\nmodel name\t: x : y\n";
    EXPECT_EQ(find_field(cpuinfo, "vendor_id"), "AuthenticAMD");
    EXPECT_EQ(find_field(cpuinfo, "model name"), "x : y");
    EXPECT_FALSE(find_field(cpuinfo, "model"));
}

TEST(Text, ATasksNameMayHoldAnything) {
    EXPECT_EQ(behind_task_name("1 (x) R 2"), " R 2");
    EXPECT_EQ(behind_task_name("1 (a) b (c)) R 2"), " R 2");
    EXPECT_EQ(behind_task_name("1 (a\n2 (b) Z 1) R 2"), " R 2");
    EXPECT_EQ(behind_task_name("1 (x)"), "");
    EXPECT_FALSE(behind_task_name("1 (x"));
}

}  // namespace
}  // namespace ringside::base
