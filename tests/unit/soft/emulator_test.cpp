#include "soft/emulator.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::soft {
namespace {

using ::testing::ElementsAre;

proc::Program program(int machine, bool is_64_bit = true) {
    proc::Program made;
    made.words = {"/bin/tool"};
    made.machine = machine;
    made.is_64_bit = is_64_bit;
    return made;
}

TEST(Emulator, IsThereForTwoMachines) {
    EXPECT_STREQ(emulator_of(program(EM_AARCH64)), "qemu-aarch64");
    EXPECT_STREQ(emulator_of(program(EM_X86_64)), "qemu-x86_64");
    EXPECT_EQ(emulator_of(program(EM_X86_64, false)), nullptr);
    EXPECT_EQ(emulator_of(program(EM_RISCV)), nullptr);
}

TEST(Emulator, KeepsTheProgramsName) {
    const auto tool = program(EM_X86_64);
    EXPECT_THAT(emulated_arguments("/q", "p.so", tool, {"name", "x"}),
                ElementsAre("/q", "-plugin", "p.so", "-0", "name", "/bin/tool", "x"));
    EXPECT_THAT(emulated_arguments("/q", "p.so", tool, {}),
                ElementsAre("/q", "-plugin", "p.so", "-0", "/bin/tool", "/bin/tool"));
    auto script = tool;
    script.words.emplace_back("script");
    EXPECT_THAT(
        emulated_arguments("/q", "p.so", script, {"name", "x"}),
        ElementsAre("/q", "-plugin", "p.so", "-0", "/bin/tool", "/bin/tool", "script", "x"));
}

TEST(Emulator, CommasInOptionsAreWrittenTwice) {
    EXPECT_EQ(option_text("/tmp/a,b"), "/tmp/a,,b");
}

}  // namespace
}  // namespace ringside::soft
