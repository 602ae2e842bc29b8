#include "base/kept_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "../platform/temp_tree.h"

namespace ringside::base {
namespace {

using platform::TempTree;

TEST(KeptFile, SeesEveryChangeAndEverySize) {
    TempTree tree;
    KeptFile file(tree.root(), "/proc/thing");
    EXPECT_FALSE(file.read());
    for (const std::size_t size : {3u, 0u, 127u, 128u, 129u, 70'000u, 5u}) {
        const std::string content(size, 'x');
        tree.put("/proc/thing", content);
        const auto text = file.read();
        ASSERT_TRUE(text);
        EXPECT_EQ(*text, content) << size;
        EXPECT_EQ(*file.read(), content) << size;
    }
}

TEST(KeptFile, OpensAFileOfTheMachineAgainAndAgain) {
    KeptFile file(SysRoot(), "/proc/self/comm");
    const auto first = file.read();
    ASSERT_TRUE(first);
    const std::string name(*first);
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(*file.read(), name);
}

// A pipe can be read once and not from the start, like the files of debugfs.
TEST(KeptFile, OpensAFileThatCannotBeReadTwiceAnew) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    ASSERT_EQ(::write(pipe[1], "7\n", 2), 2);
    ASSERT_EQ(::close(pipe[1]), 0);
    KeptFile file(SysRoot(), "/proc/self/fd/" + std::to_string(pipe[0]));
    EXPECT_EQ(file.read().value_or(""), "7\n");
    EXPECT_EQ(file.read().value_or("gone"), "");  // opened, and at its end
    ::close(pipe[0]);
}

}  // namespace
}  // namespace ringside::base
