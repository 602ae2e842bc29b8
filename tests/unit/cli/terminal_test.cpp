#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace ringside::cli {
namespace {

TEST(Terminal, LinesAndOurOwnColoursGoThrough) {
    for (const auto* text : {"", "a\nb\n", "\033[1mstrong\033[0m\n",
                             "\033[31mbad\033[0m größe\tx\n", "\033[2m\033[32m\033[33m\033[0m"}) {
        EXPECT_EQ(for_terminal(text), text);
    }
}

TEST(Terminal, NothingElseIsObeyed) {
    EXPECT_EQ(for_terminal("a\033[2Jb\n"), "a\\x1b[2Jb\n");
    EXPECT_EQ(for_terminal("\033[31;8mhidden"), "\\x1b[31;8mhidden");
    EXPECT_EQ(for_terminal("\033]0;title\007"), "\\x1b]0;title\\x07");
    EXPECT_EQ(for_terminal("100 %\rroot"), "100 %\\x0droot");
    EXPECT_EQ(for_terminal("\033"), "\\x1b");
    EXPECT_EQ(for_terminal("\033\033[1m"), "\\x1b\033[1m");
    EXPECT_EQ(for_terminal("\x9b"
                           "2J\xe2\x80\xae"),
              "\\x9b"
              "2J\\u202e");
}

}  // namespace
}  // namespace ringside::cli
