#include "events/expression.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::events {
namespace {

using ::testing::ElementsAre;

double value(std::string_view text, std::vector<double> values = {}) {
    const auto expression = Expression::parse(text);
    EXPECT_TRUE(expression) << text;
    return expression ? expression->evaluate(values) : -1e99;
}

TEST(Expression, ReckonsWithTheUsualPrecedence) {
    EXPECT_EQ(value("1 + 2 * 3"), 7);
    EXPECT_EQ(value("(1 + 2) * 3"), 9);
    EXPECT_EQ(value("8 / 4 / 2"), 1);
    EXPECT_EQ(value("8 - 4 - 2"), 2);
    EXPECT_EQ(value("-2 * -3"), 6);
    EXPECT_EQ(value("--2"), 2);
    EXPECT_EQ(value("1.5e3"), 1500);
    EXPECT_EQ(value("max(1, min(5, 3)) * 2"), 6);
    EXPECT_TRUE(std::isnan(value("1 / 0")));
    EXPECT_TRUE(std::isnan(value("1 + 1 / (2 - 2)")));
}

TEST(Expression, TellsNamesFromMinuses) {
    const auto one = Expression::parse("cache-misses - cache-references -1").value();
    EXPECT_THAT(one.names(), ElementsAre("cache-misses", "cache-references"));
    EXPECT_EQ(one.evaluate(std::vector<double>{10, 3}), 6);
    const auto two = Expression::parse("cycles:u/instructions:u").value();
    EXPECT_THAT(two.names(), ElementsAre("cycles:u", "instructions:u"));
    const auto three = Expression::parse("skl::INST_RETIRED:ANY:c=1 * net:::eth0:rx:bytes").value();
    EXPECT_THAT(three.names(), ElementsAre("skl::INST_RETIRED:ANY:c=1", "net:::eth0:rx:bytes"));
    const auto quoted = Expression::parse("\"cpu/event=0x3c,umask=1/\" / 2").value();
    EXPECT_THAT(quoted.names(), ElementsAre("cpu/event=0x3c,umask=1/"));
    EXPECT_EQ(quoted.evaluate(std::vector<double>{10}), 5);
}

TEST(Expression, NamesEachOnce) {
    const auto twice = Expression::parse("a + b + a * a").value();
    EXPECT_THAT(twice.names(), ElementsAre("a", "b"));
    EXPECT_EQ(twice.evaluate(std::vector<double>{3, 1}), 13);
    EXPECT_FALSE(twice.is_name());
    EXPECT_TRUE(Expression::parse("(a)").value().is_name());
}

TEST(Expression, PutsExpressionsInForNames) {
    const auto outer = Expression::parse("ipc * 100 - x").value();
    const std::vector<Expression> parts{Expression::parse("instructions / x").value(),
                                        Expression::of_name("x")};
    const auto whole = outer.with(parts).value();
    EXPECT_THAT(whole.names(), ElementsAre("instructions", "x"));
    EXPECT_EQ(whole.evaluate(std::vector<double>{10, 5}), 195);
}

TEST(Expression, SaysWhereItStopsToUnderstand) {
    for (const auto* bad : {"", "1 +", "(1", "1)", "a b", "* 2", "\"open", "\"\"", "min(1)",
                            "max 1", "1..2", "a , b", "inf", "a = ", "+1", "$x"}) {
        if (std::string_view(bad) == "inf") continue;  // a name like any other
        EXPECT_FALSE(Expression::parse(bad)) << bad;
    }
    EXPECT_NE(Expression::parse("cycles / ?").error().what.find("character 10"), std::string::npos);
}

TEST(Expression, RefusesWhatIsTooLarge) {
    EXPECT_FALSE(Expression::parse(std::string(100'000, '(')));
    std::string deep = "1";
    for (int i = 0; i < 100; ++i) deep = "1+(" + deep + ")";
    EXPECT_FALSE(Expression::parse(deep));
    std::string many = "a";
    for (int i = 0; i < 400; ++i) many += "+a";
    const auto wide = Expression::parse(many).value();
    EXPECT_FALSE(wide.with(std::vector<Expression>{wide}));
}

}  // namespace
}  // namespace ringside::events
