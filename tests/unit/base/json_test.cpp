#include "base/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ringside::base {
namespace {

TEST(Json, MembersInTheirOrder) {
    Json json{{"b", 1}, {"a", {{"x", true}, {"y", nullptr}}}};
    json["c"] = Json::array();
    json["c"].push_back("text");
    json["c"].push_back({{"n", 2u}});
    json["b"] = "again";
    EXPECT_EQ(json.text(-1),
              "{\"b\":\"again\",\"a\":{\"x\":true,\"y\":null},\"c\":[\"text\",{\"n\":2}]}\n");
    EXPECT_EQ(Json({{"k", Json::object()}}).text(), "{\n  \"k\": {}\n}\n");
}

TEST(Json, NumbersAreExact) {
    const auto text = [](const Json& json) { return json.text(-1); };
    EXPECT_EQ(text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615\n");
    EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808\n");
    EXPECT_EQ(text(1.0), "1.0\n");
    EXPECT_EQ(text(0.1), "0.1\n");
    EXPECT_EQ(text(1e-7), "1e-07\n");
    EXPECT_EQ(text(2.5e16), "2.5e+16\n");
    EXPECT_EQ(text(std::nan("")), "null\n");
}

TEST(Json, WhatIsNotKnownIsNull) {
    EXPECT_EQ(Json(std::optional<int>()).text(-1), "null\n");
    EXPECT_EQ(Json(std::optional<std::string>("x")).text(-1), "\"x\"\n");
    EXPECT_EQ(Json::text_or_null("").text(-1), "null\n");
    EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).text(-1), "[\"a\",\"b\"]\n");
    EXPECT_TRUE(Json()["new"].is_null());
}

TEST(Json, AnUpdateReplacesWhatHasTheSameName) {
    Json json{{"a", 1}, {"b", 2}};
    json.update({{"b", 3}, {"c", 4}});
    EXPECT_EQ(json.text(-1), "{\"a\":1,\"b\":3,\"c\":4}\n");
}

TEST(Json, NoByteOfANameFoolsATerminalOrBreaksTheFile) {
    EXPECT_EQ(Json("\"\\\n").text(-1), "\"\\\"\\\\\\n\"\n");
    EXPECT_EQ(Json("größe").text(-1), "\"größe\"\n");
    EXPECT_EQ(Json("a\u202eb").text(-1), "\"a\\u202eb\"\n");
    EXPECT_EQ(Json({{"k\x9b", "v\xff"}}).text(-1), "{\"k\\\\x9b\":\"v\\\\xff\"}\n");
}

}  // namespace
}  // namespace ringside::base
