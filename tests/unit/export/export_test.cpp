#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "export/folded.h"
#include "export/stack_tree.h"

namespace ringside::exports {
namespace {

using builders::DataBuilder;
using ::testing::Contains;
using ::testing::HasSubstr;

// main calls f in user mode, which enters the kernel once; one place has no name.
struct Recorded {
    profile::Profile profile;
    profile::Naming naming;
};

Recorded recorded(const std::string& comm = "app") {
    DataBuilder builder(base::ByteOrder::same, true);
    const auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    const auto kernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
    builder.comm(7, 7, 1, comm);
    builder.sample(7, 10, 0x20, 3, PERF_RECORD_MISC_USER, {user, 0x20, 0x10});
    builder.sample(7, 11, 0x90, 2, PERF_RECORD_MISC_KERNEL, {kernel, 0x90, user, 0x20, 0x10});
    builder.sample(7, 12, 0x30, 5, PERF_RECORD_MISC_USER, {user, 0x30});
    profile::Keep keep;
    keep.stack = true;
    auto profile =
        profile::load(DataBuilder::write(scratch::file("export.data"), builder.file()), {keep});
    Recorded result{std::move(*profile), {}};
    using perf::CpuMode;
    result.naming.functions = {{"main", "app", CpuMode::user, true},
                               {"f<int>", "app", CpuMode::user, true},
                               {"0x30", "lib.so", CpuMode::user, false},
                               {"do_work", "[kernel.kallsyms]", CpuMode::kernel, true}};
    for (profile::LocationId id = 0; id < result.profile.locations.size(); ++id) {
        const auto address = result.profile.locations[id].address;
        result.naming.of_location.push_back(address == 0x10   ? 0
                                            : address == 0x20 ? 1
                                            : address == 0x30 ? 2
                                                              : 3);
    }
    return result;
}

TEST(Folded, OneLineForEachStackWithItsWeight) {
    const auto from = recorded();
    EXPECT_EQ(folded(profile::CallTree(from.profile, from.naming, 0)),
              "app;[lib.so] 5\n"
              "app;main;f<int> 3\n"
              "app;main;f<int>;do_work 2\n");
}

TEST(Folded, NamesCannotBreakTheLine) {
    const auto from = recorded("a;b\nc");
    EXPECT_THAT(folded(profile::CallTree(from.profile, from.naming, 0)),
                HasSubstr("a:b:c;main;f<int> 3\n"));
}

TEST(CallTree, TotalsAddUp) {
    const auto from = recorded();
    const profile::CallTree tree(from.profile, from.naming, 0);
    EXPECT_EQ(tree.nodes()[0].total, 10u);
    std::uint64_t self = 0;
    for (const auto& node : tree.nodes()) self += node.self;
    EXPECT_EQ(self, 10u);
}

TEST(StackTree, KeepsNamesModesAndWeights) {
    const auto from = recorded();
    const auto tree = stack_tree(from.profile, from.naming, 0);
    EXPECT_EQ(tree.event, from.profile.events[0].name);
    double whole = 0;
    for (const auto& node : tree.nodes) whole += node.self;
    EXPECT_EQ(whole, 10);
    EXPECT_THAT(tree.frames, Contains(model::Frame{"app", "", model::FrameKind::thread}));
    EXPECT_THAT(tree.frames,
                Contains(model::Frame{"do_work", "[kernel.kallsyms]", model::FrameKind::kernel}));
}

TEST(StackTree, NothingRecordedIsARootAlone) {
    DataBuilder builder(base::ByteOrder::same, true);
    profile::Keep keep;
    keep.stack = true;
    auto profile =
        profile::load(DataBuilder::write(scratch::file("empty.data"), builder.file()), {keep});
    ASSERT_TRUE(profile);
    const profile::CallTree tree(*profile, {}, 0);
    EXPECT_EQ(folded(tree), "");
    EXPECT_EQ(stack_tree(*profile, {}, 0).nodes.size(), 1u);
}

}  // namespace
}  // namespace ringside::exports
