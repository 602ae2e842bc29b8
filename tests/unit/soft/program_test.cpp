#include "soft/program.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scratch.h"

namespace ringside::soft {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string write(const std::string& name, const std::string& content, bool executable = true) {
    const std::string path = scratch::file("program." + name);
    std::ofstream(path, std::ios::binary) << content;
    if (executable) fs::permissions(path, fs::perms::owner_all);
    return path;
}

std::string elf(std::uint16_t machine, unsigned char bits = ELFCLASS64) {
    Elf64_Ehdr header{};
    std::copy_n(ELFMAG, SELFMAG, header.e_ident);
    header.e_ident[EI_CLASS] = bits;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = machine;
    return {reinterpret_cast<const char*>(&header), sizeof header};
}

TEST(Program, AnElfFileIsItself) {
    const auto path = write("a.out", elf(EM_AARCH64));
    const auto program = read_program(path);
    EXPECT_EQ(program.error, 0);
    EXPECT_THAT(program.words, ElementsAre(path));
    EXPECT_STREQ(emulator_of(program), "qemu-aarch64");
    EXPECT_STREQ(emulator_of(read_program("/proc/self/exe")),
                 sizeof(void*) == 8 && read_program("/proc/self/exe").machine == EM_AARCH64
                     ? "qemu-aarch64"
                     : "qemu-x86_64");
}

TEST(Program, OtherMachinesHaveNoEmulator) {
    EXPECT_EQ(emulator_of(read_program(write("riscv", elf(EM_RISCV)))), nullptr);
    EXPECT_EQ(emulator_of(read_program(write("i386", elf(EM_386, ELFCLASS32)))), nullptr);
}

TEST(Program, AScriptIsItsInterpreter) {
    const auto tool = write("tool", elf(EM_X86_64));
    const auto script = write("script", "#! " + tool + "  -a b \necho\n");
    const auto program = read_program(script);
    EXPECT_EQ(program.error, 0);
    EXPECT_THAT(program.words, ElementsAre(tool, "-a b", script));
    const auto nested = write("nested", "#!" + script);
    EXPECT_THAT(read_program(nested).words, ElementsAre(tool, "-a b", script, nested));
}

TEST(Program, WhatCannotBeExecuted) {
    EXPECT_EQ(read_program("/no/such/file").error, ENOENT);
    EXPECT_EQ(read_program("/tmp").error, EACCES);
    EXPECT_EQ(read_program(write("plain", elf(EM_X86_64), false)).error, EACCES);
    EXPECT_EQ(read_program(write("text", "echo hello\n")).error, ENOEXEC);
    EXPECT_EQ(read_program(write("empty", "")).error, ENOEXEC);
    EXPECT_EQ(read_program(write("cut", elf(EM_X86_64).substr(0, 20))).error, ENOEXEC);
    EXPECT_EQ(read_program(write("nobody", "#!\n")).error, ENOEXEC);
    EXPECT_EQ(read_program(write("lost", "#!/no/such/shell\n")).error, ENOENT);
    const std::string loop = scratch::file("program.loop");
    EXPECT_EQ(read_program(write("loop", "#!" + loop + "\n")).error, ELOOP);
}

TEST(Program, KeepsItsNameUnderQemu) {
    const auto tool = write("tool", elf(EM_X86_64));
    EXPECT_THAT(emulated_arguments("/q", "p.so", read_program(tool), {"name", "x"}),
                ElementsAre("/q", "-plugin", "p.so", "-0", "name", tool, "x"));
    const auto script = write("script", "#!" + tool + "\n");
    EXPECT_THAT(emulated_arguments("/q", "p.so", read_program(script), {"name", "x"}),
                ElementsAre("/q", "-plugin", "p.so", "-0", tool, tool, script, "x"));
    EXPECT_THAT(emulated_arguments("/q", "p.so", read_program(tool), {}),
                ElementsAre("/q", "-plugin", "p.so", "-0", tool, tool));
}

}  // namespace
}  // namespace ringside::soft
