#include "guest/layer.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_dir.h"
#include "incoming/cpio.h"

namespace ringside::guest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_in(const std::string& archive) {
    std::vector<std::string> names;
    incoming::CpioReader reader(archive);
    while (true) {
        const auto entry = reader.next();
        if (!entry || !entry->has_value()) return names;
        names.emplace_back((*entry)->name);
    }
}

TEST(Layer, SortsAndAddsParents) {
    Layer layer;
    layer.add_file("usr/bin/b", "");
    layer.add_file("usr/bin/a", "");
    layer.add_file("etc", "");
    EXPECT_THAT(names_in(layer.to_cpio()),
                ElementsAre("etc", "usr", "usr/bin", "usr/bin/a", "usr/bin/b"));
}

TEST(Layer, TakesATreeWithItsModes) {
    const auto temporary = base::ScratchDir::make("ringside-layer-test");
    ASSERT_TRUE(temporary.has_value());
    const fs::path tree = temporary->path() / "tree";
    fs::create_directories(tree / "sub");
    ASSERT_TRUE(write_file(tree / "sub/file", "content").has_value());
    ::chmod((tree / "sub/file").c_str(), 0741);
    fs::create_symlink("/nowhere", tree / "dangling");
    Layer layer;
    ASSERT_TRUE(layer.add_tree(tree, "opt/t").has_value());
    const std::string archive = layer.to_cpio();
    EXPECT_THAT(names_in(archive),
                ElementsAre("opt", "opt/t", "opt/t/dangling", "opt/t/sub", "opt/t/sub/file"));
    EXPECT_FALSE(layer.add_tree(tree / "none", "x").has_value());
    EXPECT_FALSE(layer.add_tree("/dev/null", "x").has_value());
}

TEST(Layer, AProgramBringsItsLibraries) {
    if (native_arch().empty()) GTEST_SKIP() << "no boxes are made for this architecture";
    Layer layer;
    ASSERT_TRUE(layer.add_tree("/proc/self/exe", "bin/me").has_value());
    const LibraryPath here(native_arch(), {"/"});
    const auto missing = layer.add_libraries(here);
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(*missing, IsEmpty());
    EXPECT_THAT(names_in(layer.to_cpio()), Contains("usr/lib/" + here.triplet() + "/libc.so.6"));
}

TEST(Layer, SaysWhatItDidNotFind) {
    if (native_arch().empty()) GTEST_SKIP() << "no boxes are made for this architecture";
    Layer layer;
    ASSERT_TRUE(layer.add_tree("/proc/self/exe", "bin/me").has_value());
    const auto missing = layer.add_libraries(LibraryPath(native_arch(), {"/nonexistent"}));
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(*missing, Contains("libc.so.6"));
}

TEST(Layer, ProgramsOfAnotherMachineAreLeftAlone) {
    Layer layer;
    ASSERT_TRUE(layer.add_tree("/proc/self/exe", "bin/me").has_value());
    const auto* other = native_arch() == "arm64" ? "amd64" : "arm64";
    const auto missing = layer.add_libraries(LibraryPath(other, {"/"}));
    ASSERT_TRUE(missing.has_value());
    EXPECT_THAT(names_in(layer.to_cpio()), ElementsAre("bin", "bin/me"));
}

TEST(LibraryPath, LinksStayInsideTheirRoot) {
    const auto temporary = base::ScratchDir::make("ringside-root-test");
    ASSERT_TRUE(temporary.has_value());
    const fs::path root = temporary->path();
    fs::create_directories(root / "usr/lib/aarch64-linux-gnu");
    ASSERT_TRUE(write_file(root / "usr/lib/real", "").has_value());
    fs::create_symlink("/usr/lib/real", root / "usr/lib/aarch64-linux-gnu/liba.so");
    fs::create_symlink("/etc/passwd", root / "usr/lib/aarch64-linux-gnu/libb.so");
    fs::create_symlink("libc.so", root / "usr/lib/aarch64-linux-gnu/libc.so");
    const LibraryPath path("arm64", {root});
    EXPECT_EQ(path.machine(), EM_AARCH64);
    EXPECT_EQ(path.library("liba.so"), root / "usr/lib/real");
    EXPECT_EQ(path.library("libb.so"), std::nullopt);
    EXPECT_EQ(path.library("libc.so"), std::nullopt) << "a link to itself";
}

}  // namespace
}  // namespace ringside::guest
