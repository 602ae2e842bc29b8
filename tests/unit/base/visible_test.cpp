#include "base/visible.h"

#include <gtest/gtest.h>

namespace ringside::base {
namespace {

using namespace std::string_literals;

TEST(Visible, LeavesLettersOfAnyLanguage) {
    for (const auto* text : {"", "main", "a b\\c~", "größe", "функция", "関数", "😀", "e\xcc\x81"}) {
        EXPECT_EQ(visible(text), text);
        EXPECT_TRUE(is_visible(text)) << text;
    }
}

TEST(Visible, WritesOutWhatATerminalWouldObey) {
    const std::pair<std::string, std::string> cases[] = {
        {"a\nb", "a\\nb"},
        {"a\tb", "a\\tb"},
        {"a\rb", "a\\x0db"},
        {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
        {"\0"s, "\\x00"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\x9b"
         "31m"},  // C1 as UTF-8
        {"\x9b"
         "31m",
         "\\x9b"
         "31m"},  // and as a byte
        {"\xe2\x80\xae"
         "gpj.exe",
         "\\u202egpj.exe"},  // right to left
        {"\xe2\x81\xa6", "\\u2066"},
        {"\xe2\x80\x8b", "\\u200b"},  // no width
        {"\xef\xbb\xbf", "\\ufeff"},
        {"\xe2\x80\xa8", "\\u2028"},  // a separator of lines
        {"\xf3\xa0\x81\x81", "\\U000e0041"},
        {"\xc3", "\\xc3"},                    // cut
        {"\xc0\xaf", "\\xc0\\xaf"},           // overlong
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // a surrogate
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
    };
    for (const auto& [text, shown] : cases) {
        EXPECT_EQ(visible(text), shown);
        EXPECT_FALSE(is_visible(text)) << shown;
        EXPECT_TRUE(is_visible(visible(text))) << shown;
    }
}

TEST(Visible, WhateverComesIn) {
    std::string text;
    for (unsigned i = 0; i < 1u << 16; ++i) {
        text = {static_cast<char>(i >> 8), static_cast<char>(i & 0xff)};
        const std::string shown = visible(text);
        ASSERT_TRUE(is_visible(shown)) << i;
        ASSERT_EQ(is_visible(text), shown == text) << i;
    }
}

}  // namespace
}  // namespace ringside::base
