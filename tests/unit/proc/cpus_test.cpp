#include "proc/cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../platform/temp_tree.h"

namespace ringside::proc {
namespace {

using platform::TempTree;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Cpus, OnlineOnesAreThoseThatTheKernelLists) {
    TempTree tree;
    tree.put("/sys/devices/system/cpu/online", "0-2,5\n");
    EXPECT_THAT(online_cpus(tree.root()).value_or({}), ElementsAre(0, 1, 2, 5));
}

TEST(Cpus, AListMayBeOfNodes) {
    TempTree tree;
    tree.put("/sys/devices/system/node/online", "0,2-3\n");
    EXPECT_THAT(read_cpu_list(tree.root(), "/sys/devices/system/node/online").value_or({}),
                ElementsAre(0, 2, 3));
}

TEST(Cpus, NoListIsAnErrorThatNamesTheFile) {
    TempTree tree;
    EXPECT_EQ(online_cpus(tree.root()).error().code, ErrorCode::not_found);
    for (const char* text : {"", "\n", "0-", "all", "3-1", "-1", "0-99999999"}) {
        tree.put("/sys/devices/system/cpu/online", text);
        const auto cpus = online_cpus(tree.root());
        ASSERT_FALSE(cpus) << text;
        EXPECT_THAT(cpus.error().what, HasSubstr(online_cpus_path));
    }
}

TEST(Cpus, ThisMachineHasSome) {
    EXPECT_FALSE(online_cpus(base::SysRoot()).value_or({}).empty());
}

}  // namespace
}  // namespace ringside::proc
