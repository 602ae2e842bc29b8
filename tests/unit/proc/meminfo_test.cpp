#include "proc/meminfo.h"

#include <gtest/gtest.h>

#include "../platform/temp_tree.h"

namespace ringside::proc {
namespace {

using platform::TempTree;

TEST(Meminfo, TheTotalIsInKilobytes) {
    EXPECT_EQ(parse_memory_total_bytes("MemTotal:       16303428 kB\nMemFree:  1 kB\n"),
              16303428ull * 1024);
    EXPECT_EQ(parse_memory_total_bytes("Node 1 MemTotal:  2048 kB\nNode 1 MemFree: 1 kB\n"),
              2048ull * 1024);
}

TEST(Meminfo, NonsenseIsNoTotal) {
    for (const char* text :
         {"", "MemFree: 1 kB\n", "MemTotal:\n", "MemTotal: lots kB\n", "MemTotal: -1 kB\n",
          "MemTotal: 18014398509481984 kB\n", "NotMemTotal: 5 kB\n"}) {
        EXPECT_FALSE(parse_memory_total_bytes(text)) << text;
    }
}

TEST(Meminfo, IsReadForTheMachineAndForANode) {
    TempTree tree;
    tree.put("/proc/meminfo", "MemTotal: 8 kB\n");
    tree.put("/sys/devices/system/node/node3/meminfo", "\nNode 3 MemTotal:  2 kB\n");
    EXPECT_EQ(memory_total_bytes(tree.root()), 8192u);
    EXPECT_EQ(node_memory_total_bytes(tree.root(), 3), 2048u);
    EXPECT_FALSE(node_memory_total_bytes(tree.root(), 4));
}

}  // namespace
}  // namespace ringside::proc
