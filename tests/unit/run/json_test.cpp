#include "run/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::run {
namespace {

using ::testing::HasSubstr;

std::string nested(int levels) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']') + "}";
}

TEST(ReadJson, TakesAnObject) {
    const auto json = parse_json_object(R"({"a":{"b":[1,2]},"c":"[[[[\"{{"})", "x");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->at("a").at("b").size(), 2u);
}

TEST(ReadJson, RefusesWhatIsNone) {
    for (const auto* text : {"", "[]", "1", "{", "{\"a\":}", "\xff", "{\"a\":\"\xff\"}"}) {
        const auto json = parse_json_object(text, "side.json");
        ASSERT_FALSE(json) << text;
        EXPECT_THAT(json.error().what, HasSubstr("side.json: no JSON object")) << text;
    }
}

TEST(ReadJson, IsNotLedDeep) {
    EXPECT_TRUE(parse_json_object(nested(60), "x"));
    EXPECT_FALSE(parse_json_object(nested(64), "x"));
    const auto deep = parse_json_object(nested(200'000), "side.json");
    ASSERT_FALSE(deep);
    EXPECT_THAT(deep.error().what, HasSubstr("side.json: nested too deep"));
    EXPECT_TRUE(parse_json_object("{\"a\":\"" + std::string(100'000, '[') + "\"}", "x"))
        << "a text";
    EXPECT_FALSE(parse_json_object("{\"a\\\":" + std::string(100'000, '['), "x"));
}

}  // namespace
}  // namespace ringside::run
