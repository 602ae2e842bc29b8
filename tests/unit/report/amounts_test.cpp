#include "report/amounts.h"

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

TEST(Amounts, ThreeDigitsThatMatter) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(999), "999 B");
    EXPECT_EQ(bytes_text(1'000), "1.00 kB");
    EXPECT_EQ(bytes_text(12'340), "12.3 kB");
    EXPECT_EQ(bytes_text(123'400), "123 kB");
    EXPECT_EQ(bytes_text(5'000'000'000'000'000), "5000 TB") << "there is no larger unit";
    EXPECT_EQ(time_text(1'500), "1.50 us");
    EXPECT_EQ(time_text(2'000'000'000), "2.00 s");
}

TEST(Amounts, CommasBetweenThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

TEST(Amounts, NothingOfNothingIsNothing) {
    EXPECT_EQ(percent(1, 4), 25);
    EXPECT_EQ(percent(0, 0), 0);
}

}  // namespace
}  // namespace ringside::report
