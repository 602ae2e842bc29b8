#include "compare/joined_table.h"

#include <gmock/gmock.h>

#include "compare/join.h"

namespace ringside::compare {
namespace {

using run::Per;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view table =
    "event,unit,symbol,dso,mode,resolved,my vm_value,my vm_state,b_value,b_state,my vm_values,"
    "b_values\n"
    "page-faults,,,,,1,7,ok,,dead,6 8,\n"
    "cycles,,main,a.out,user,1,15,ok,3,ok,10 20,3\n"
    "cycles,,clear_page,[kernel],kernel,1,2,ok,0,ok,0 4,0\n"
    "cycles,,[unresolved],a.out,user,0,1,ok,0,ok,1 1,0\n";

TEST(JoinedTable, AllSidesWithAllRuns) {
    ASSERT_TRUE(looks_like_joined_table(table));
    const auto sides = parse_joined_table(table);
    ASSERT_TRUE(sides) << sides.error().what;
    ASSERT_EQ(sides->size(), 2u);
    EXPECT_EQ(sides->front().name, "my vm");
    EXPECT_EQ(sides->front().runs.size(), 2u);
    const auto joined = join(*sides);
    ASSERT_TRUE(joined);
    ASSERT_EQ(joined->functions.size(), 2u);
    EXPECT_EQ(joined->functions[0].symbol, "main");
    EXPECT_THAT(joined->functions[0].cells[0].values, ElementsAre(10, 20));
    EXPECT_THAT(joined->functions[0].cells[1].values, ElementsAre(3));
    EXPECT_TRUE(joined->functions[1].in_kernel);
    EXPECT_THAT(joined->functions[1].cells[0].values, ElementsAre(0, 4));
    EXPECT_THAT(joined->functions[1].cells[1].values, ElementsAre(0));
    ASSERT_EQ(joined->unresolved.size(), 1u);
    EXPECT_THAT(joined->events.front().cells[0].values, ElementsAre(6, 8));
    EXPECT_EQ(joined->events.front().cells[1].state, CounterState::dead);
}

TEST(JoinedTable, WhatWasCountedOnceHasOneValue) {
    const auto sides = parse_joined_table(
        "event,a_state,a_values\npage-faults,ok,1 2\nsoft:instructions,ok,7\nvm-exits,ok,3\n");
    ASSERT_TRUE(sides) << sides.error().what;
    const auto joined = join(*sides);
    ASSERT_TRUE(joined);
    EXPECT_THAT(joined->events[0].cells[0].values, ElementsAre(1, 2));
    EXPECT_THAT(joined->events[1].cells[0].values, ElementsAre(7));
    EXPECT_THAT(joined->events[2].cells[0].values, ElementsAre(3));
}

TEST(JoinedTable, WhatWasDividedIsNotDividedAgain) {
    const std::string_view text =
        "event,symbol,dso,a_state,a_values,per\n"
        "time.wall,,,ok,2e9,second\npage-faults,,,ok,5,second\ncycles,main,a.out,ok,8,second\n";
    const auto sides = parse_joined_table(text);
    ASSERT_TRUE(sides) << sides.error().what;
    for (const Per wanted : {Per::run, Per::second}) {
        const auto joined = join(*sides, wanted);
        ASSERT_TRUE(joined);
        EXPECT_EQ(joined->per, Per::second);
        EXPECT_THAT(joined->events[1].cells[0].values, ElementsAre(5));
        EXPECT_THAT(joined->functions[0].cells[0].values, ElementsAre(8));
    }
    const auto other = join(*sides, Per::share);
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().what, HasSubstr("values of a are per second already"));
    auto mixed = *sides;
    mixed.push_back(mixed.front());
    mixed.back().per = Per::run;
    EXPECT_FALSE(join(mixed));
    EXPECT_FALSE(parse_joined_table("event,a_state,a_values,per\nx,ok,1,fortnight\n"));
}

TEST(JoinedTable, SharesStayShares) {
    const auto sides = parse_joined_table(
        "event,symbol,dso,a_state,a_values,per\ncycles,main,a.out,ok,40,share\n");
    ASSERT_TRUE(sides);
    const auto joined = join(*sides);
    ASSERT_TRUE(joined);
    EXPECT_THAT(joined->functions[0].cells[0].values, ElementsAre(40));
    EXPECT_EQ(joined->functions[0].unit, "%");
}

TEST(JoinedTable, BadRowsAreNamed) {
    EXPECT_FALSE(looks_like_joined_table("event,value\ncycles,1\n"));
    EXPECT_FALSE(looks_like_joined_table(""));
    EXPECT_FALSE(parse_joined_table("event,a_state,a_values\n"));
    const auto no_value = parse_joined_table("event,a_state,a_values\nx,ok,1 2\ny,ok,1\n");
    ASSERT_FALSE(no_value);
    EXPECT_THAT(no_value.error().what, HasSubstr("row 2: no value for run 2 of a"));
    const auto no_state = parse_joined_table("event,a_values\nx,1\n");
    ASSERT_FALSE(no_state);
    EXPECT_THAT(no_state.error().what, HasSubstr("no state"));
    std::string many = "event,a_state,a_values\nx,ok,";
    for (int i = 0; i < 2000; ++i) many += "1 ";
    EXPECT_THAT(parse_joined_table(many).error().what, HasSubstr("more than 1000 runs"));
}

}  // namespace
}  // namespace ringside::compare
