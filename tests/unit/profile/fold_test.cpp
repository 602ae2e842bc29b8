// Places of one function as one place: fewer of them, and the same tree of calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "../symbols/compiled_program.h"
#include "profile/call_tree.h"
#include "symbols/elf_file.h"

namespace ringside::profile {
namespace {

using builders::DataBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);
constexpr auto kernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);

// Two functions of the kernel, a file without names, and addresses where nothing lies.
struct Fold : ::testing::Test {
    SymbolSources sources;
    DataBuilder builder{base::ByteOrder::same, true};

    Fold() {
        sources.kallsyms = DataBuilder::write(
            scratch::file("kallsyms"), "ffffffff81000000 T enter\nffffffff81001000 T work\n");
        builder.comm(7, 7, 1, "app");
        builder.map(~0u, 0, 0xffffffff81000000, 0x10000, 0, "[kernel.kallsyms]_text",
                    PERF_RECORD_MISC_KERNEL);
        builder.map(7, 1, 0x5000, 0x3000, 0, "/nowhere/stripped.so");
        for (const std::uint64_t i : {0u, 8u, 16u}) {
            builder.sample(7, 10 + i, 0xffffffff81001000 + i, 1, PERF_RECORD_MISC_KERNEL,
                           {kernel, 0xffffffff81001000 + i, 0xffffffff81000010 + i, user,
                            0x5100 + i, 0x99000 + i});
            builder.sample(7, 100 + i, 0x5200 + i, 1, PERF_RECORD_MISC_USER,
                           {user, 0x5200 + i, 0x99100 + i});
        }
    }

    Profile load_with(bool fold, bool unnamed) const {
        LoadOptions options;
        options.keep.stack = true;
        if (fold) options.fold = sources;
        options.fold_unnamed = unnamed;
        auto profile =
            load(DataBuilder::write(scratch::file("fold.data"), builder.file()), options);
        EXPECT_TRUE(profile);
        return std::move(*profile);
    }
    // The tree, a line for each node: the names from the root on, and the weight.
    std::vector<std::string> tree_of(const Profile& profile) const {
        const CallTree tree(profile, symbolize(profile, sources), 0);
        std::vector<std::string> lines;
        for (std::uint32_t i = 1; i < tree.nodes().size(); ++i) {
            std::string line = std::to_string(tree.nodes()[i].total);
            for (std::uint32_t node = i; node != 0; node = tree.nodes()[node].parent)
                line.insert(0, tree.frames()[tree.nodes()[node].frame].name + " ");
            lines.push_back(line);
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }
};

TEST_F(Fold, TheTreeIsTheSame) {
    const auto plain = load_with(false, false);
    const auto named = load_with(true, false);
    const auto all = load_with(true, true);
    EXPECT_EQ(plain.locations.size(), 18u);
    EXPECT_EQ(named.locations.size(), 14u);
    EXPECT_EQ(all.locations.size(), 4u) << "enter, work, the file, and nowhere";
    EXPECT_LT(all.stacks.size(), plain.stacks.size());
    const auto tree = tree_of(plain);
    EXPECT_THAT(tree, ::testing::Contains("app [unknown] [stripped.so] enter work 3"));
    EXPECT_EQ(tree_of(named), tree);
    EXPECT_EQ(tree_of(all), tree);
}

TEST_F(Fold, WhatHasNoNameGetsThatOfItsModule) {
    const auto naming = symbolize(load_with(true, true), sources);
    std::vector<std::string> names;
    for (const auto& function : naming.functions) {
        names.push_back(function.name);
        EXPECT_EQ(function.resolved, function.name[0] != '[') << function.name;
    }
    std::sort(names.begin(), names.end());
    EXPECT_THAT(names, ElementsAre("[stripped.so]", "[unknown]", "enter", "work"));
    EXPECT_THAT(naming.warnings, ElementsAre(HasSubstr("/nowhere/stripped.so")));
}

// What is inlined differs from place to place of a function.
TEST_F(Fold, PlacesWithInlinedFunctionsStayApart) {
    const auto program =
        builders::compile_program("c++", "inlining", builders::inlining_source, {"-O2", "-g"});
    if (!program) GTEST_SKIP() << "needs a compiler";
    const auto file = symbols::MappedFile::open(*program);
    ASSERT_TRUE(file);
    const auto elf = symbols::parse_elf(file->bytes());
    ASSERT_TRUE(elf);
    builder.map(7, 1, 0x400000, 0x10000, 0, *program);
    for (const auto& symbol : elf->functions.symbols()) {
        if (!elf->functions.name(symbol).starts_with("_ZN")) continue;
        for (std::uint64_t at = 0x400000 + symbol.start; at < 0x400000 + symbol.end; ++at)
            builder.sample(7, 200, at, 1, PERF_RECORD_MISC_USER, {user, at});
    }
    sources.inlined = true;
    const auto tree = tree_of(load_with(false, false));
    EXPECT_THAT(tree, ::testing::Contains(HasSubstr("outer deep::Worker::middle deep::innermost")));
    EXPECT_EQ(tree_of(load_with(true, true)), tree);
}

// An address is another place once something else is mapped there.
TEST_F(Fold, WhatIsMappedLaterIsAnother) {
    World world;
    const RecordedKallsyms none;
    ModuleBook book(world, sources, none);
    Locations locations(world);
    locations.fold(book, true);
    const auto at = [&](std::uint64_t time_ns) {
        return locations.find(world.image_of(7, time_ns), 0x5010, perf::CpuMode::user, time_ns);
    };
    const auto nothing = at(10);
    Module module;
    module.path = "/nowhere/one.so";
    world.map(7, 20, {0x5000, 0x6000, 0, 0}, module, perf::CpuMode::user);
    const auto one = at(30);
    module.path = "/nowhere/two.so";
    world.map(7, 40, {0x5000, 0x6000, 0, 0}, module, perf::CpuMode::user);
    EXPECT_NE(one, nothing);
    EXPECT_EQ(at(30), one);
    EXPECT_NE(at(50), one);
    EXPECT_EQ(at(30), one) << "not what was asked for last";
}

}  // namespace
}  // namespace ringside::profile
