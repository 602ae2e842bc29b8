#include "base/utf8.h"

#include <gtest/gtest.h>

namespace ringside::base {
namespace {

TEST(Utf8, LettersOfEachLength) {
    EXPECT_EQ(letter_bytes("a"), 1u);
    EXPECT_EQ(letter_bytes("\u00e4x"), 2u);
    EXPECT_EQ(letter_bytes("\u2026"), 3u);
    EXPECT_EQ(letter_bytes("\U0001f600"), 4u);
    EXPECT_EQ(letter_value("a", 1), U'a');
    EXPECT_EQ(letter_value("\u00e4", 2), U'\u00e4');
    EXPECT_EQ(letter_value("\u2026", 3), U'\u2026');
    EXPECT_EQ(letter_value("\U0001f600", 4), U'\U0001f600');
}

TEST(Utf8, WhatIsNone) {
    EXPECT_EQ(letter_bytes(""), 0u);
    for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x80",
                             "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\xff"}) {
        EXPECT_EQ(letter_bytes(text), 0u) << text;
    }
}

}  // namespace
}  // namespace ringside::base
