#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::base {
namespace {

using ::testing::ElementsAre;

TEST(Csv, SkipsBlankLinesAndComments) {
    EXPECT_THAT(parse_csv("a,b\n\n# x,y\n  \r\nc,d"),
                ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
    EXPECT_TRUE(parse_csv("").empty());
}

TEST(Csv, KeepsEmptyFieldsAndDropsBlanksAroundPlainOnes) {
    EXPECT_THAT(parse_csv(" a ,, b c ,"), ElementsAre(ElementsAre("a", "", "b c", "")));
}

TEST(Csv, QuotesKeepCommasBlanksAndQuotes) {
    EXPECT_THAT(parse_csv("\"a, \"\"b\"\" \", \"c \" ,d"),
                ElementsAre(ElementsAre("a, \"b\" ", "c ", "d")));
}

TEST(Csv, AMissingEndQuoteEndsWithTheLine) {
    EXPECT_THAT(parse_csv("a,\"b,c\nd"), ElementsAre(ElementsAre("a", "b,c"), ElementsAre("d")));
    EXPECT_THAT(parse_csv("\""), ElementsAre(ElementsAre("")));
}

}  // namespace
}  // namespace ringside::base
