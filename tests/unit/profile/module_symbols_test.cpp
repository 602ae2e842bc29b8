#include "profile/module_symbols.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../../data_builder.h"
#include "../../scratch.h"
#include "profile/symbolize.h"

namespace ringside::profile {
namespace {

using builders::DataBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string write_file(const std::string& name, const std::string& text) {
    return DataBuilder::write(scratch::file(name), text);
}

// The name of the only sample's function.
Function name_of(const Profile& profile, const SymbolSources& sources, Naming* naming = nullptr) {
    auto names = symbolize(profile, sources);
    const Function function = names.functions[names.of_location[profile.groups[0].location]];
    if (naming != nullptr) *naming = std::move(names);
    return function;
}

Profile loaded(const DataBuilder& builder) {
    auto profile = load(write_file("ringside_modules.data", builder.file()));
    EXPECT_TRUE(profile);
    return std::move(*profile);
}

TEST(ModuleSymbols, GeneratedCodeIsNamedByTheJitsMap) {
    const auto pid = static_cast<std::uint32_t>(::getpid());
    const std::string map = "/tmp/perf-" + std::to_string(pid) + ".map";
    std::ofstream(map) << "5000 100 LazyCompile:~fib app.js:1\n";
    DataBuilder builder;
    builder.map(pid, 1, 0x5000, 0x1000, 0, "//anon").sample(pid, 2, 0x5010);
    const auto function = name_of(loaded(builder), {});
    ::unlink(map.c_str());
    EXPECT_EQ(function.name, "LazyCompile:~fib app.js:1");
    EXPECT_EQ(function.module, "[JIT] tid " + std::to_string(pid));
}

// Anybody may write a list for any process that is or will be.
TEST(ModuleSymbols, AListOfAnotherUserIsNotBelieved) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a file away";
    const auto pid = static_cast<std::uint32_t>(::getpid());
    const std::string map = "/tmp/perf-" + std::to_string(pid) + ".map";
    const std::string other = write_file("ringside_other.map", "5000 100 forged\n");
    DataBuilder builder;
    builder.map(pid, 1, 0x5000, 0x1000, 0, "//anon").sample(pid, 2, 0x5010);
    const auto profile = loaded(builder);
    Naming naming;
    std::ofstream(map) << "5000 100 forged\n";
    ASSERT_EQ(::chown(map.c_str(), 65534, 65534), 0);
    EXPECT_FALSE(name_of(profile, {}, &naming).resolved);
    EXPECT_THAT(naming.warnings, ElementsAre(HasSubstr("belongs to user 65534")));
    ::unlink(map.c_str());
    ASSERT_EQ(::symlink(other.c_str(), map.c_str()), 0);
    EXPECT_FALSE(name_of(profile, {}, &naming).resolved) << "a link";
    EXPECT_THAT(naming.warnings, ElementsAre(HasSubstr("it wrote no " + map)));
    ::unlink(map.c_str());
}

TEST(ModuleSymbols, GuestsHaveTheirOwnKernels) {
    const auto one = write_file("kallsyms_one", "ffffffff81000000 T one_kernel\n");
    const auto other = write_file("kallsyms_other", "ffffffff81000000 T other_kernel\n");
    DataBuilder builder;
    builder.map(42, 0, 0xffffffff81000000, 0x10000, 0, "[guest.kernel.kallsyms.42]",
                PERF_RECORD_MISC_GUEST_KERNEL);
    builder.sample(42, 10, 0xffffffff81000100, 1, PERF_RECORD_MISC_GUEST_KERNEL);
    const auto profile = loaded(builder);
    SymbolSources sources;
    Naming naming;
    EXPECT_FALSE(name_of(profile, sources, &naming).resolved);
    EXPECT_THAT(naming.warnings, ElementsAre(HasSubstr("--guest-kallsyms")));
    sources.guests[every_machine].kallsyms = other;
    EXPECT_EQ(name_of(profile, sources).name, "other_kernel");
    sources.guests[42].kallsyms = one;
    EXPECT_EQ(name_of(profile, sources).name, "one_kernel");
}

// A recording with --guest has one mapping for the kernels of all guests, under no VMM's pid; one
// that was made without has none.
TEST(ModuleSymbols, AGuestsKernelNeedsNoMappingOfItsOwn) {
    const auto list = write_file("kallsyms", "ffffffff81000000 T guest_function\n");
    for (const bool described : {true, false}) {
        DataBuilder builder;
        if (described)
            builder.map(0, 0, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, 0,
                        "[guest.kernel.kallsyms]_text", PERF_RECORD_MISC_GUEST_KERNEL);
        builder.sample(42, 10, 0xffffffff81000100, 1, PERF_RECORD_MISC_GUEST_KERNEL);
        const auto profile = loaded(builder);
        SymbolSources sources;
        sources.guests[42].kallsyms = list;
        EXPECT_EQ(name_of(profile, sources).name, "guest_function") << described;
    }
}

TEST(ModuleSymbols, AReplacedProgramIsNotAskedForNames) {
    World world;
    world.note_build_id("/proc/self/exe", "00112233");
    Module module;
    module.path = "/proc/self/exe";
    world.map(7, 1, {0x1000, 0x101000, 0, 0}, module, perf::CpuMode::user);
    ASSERT_EQ(world.modules().back().build_id, "00112233");
    const SymbolSources sources;
    const RecordedKallsyms recorded;
    ModuleLoader loader(sources, recorded);
    const auto symbols = loader.load(world.modules().back());
    EXPECT_TRUE(symbols.own.empty());
    EXPECT_THAT(loader.take_warnings(), ElementsAre(HasSubstr("another build-id")));
}

TEST(ModuleSymbols, LinesFallBackToSymbols) {
    DataBuilder builder;
    builder.sample(7, 2, 0x2000);
    SymbolSources sources;
    sources.lines = true;
    const auto naming = symbolize(loaded(builder), sources);
    ASSERT_EQ(naming.lines.size(), 1u);
    EXPECT_EQ(naming.lines[0], "0x0000000000002000");
}

TEST(World, CgroupsHaveTheirPaths) {
    World world;
    world.name_cgroup(5, "/system.slice/ssh.service");
    EXPECT_EQ(world.cgroup(5), "/system.slice/ssh.service");
    EXPECT_EQ(world.cgroup(6), "6");
}

}  // namespace
}  // namespace ringside::profile
