#include "proc/program.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/scratch.h"

namespace ringside::proc {
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
    EXPECT_EQ(program.machine, EM_AARCH64);
    EXPECT_TRUE(program.is_64_bit);
    EXPECT_FALSE(read_program(write("i386", elf(EM_386, ELFCLASS32))).is_64_bit);
    EXPECT_EQ(read_program("/proc/self/exe").error, 0);
}

TEST(Program, RunsAsAnotherUserWhereItSaysSo) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    const auto path = write("set-user-id", elf(EM_X86_64));
    ASSERT_EQ(::chown(path.c_str(), 1, 0), 0);
    EXPECT_FALSE(read_program(path).privileged);
    ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
    EXPECT_TRUE(read_program(path).privileged);
    // The kernel ignores the bit of a script, and heeds that of its interpreter.
    EXPECT_TRUE(read_program(write("script-of-it", "#!" + path + "\n")).privileged);
    const auto script = write("script", "#!" + write("plain-tool", elf(EM_X86_64)) + "\n");
    ASSERT_EQ(::chown(script.c_str(), 1, 0), 0);
    ASSERT_EQ(::chmod(script.c_str(), 04755), 0);
    EXPECT_FALSE(read_program(script).privileged);
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
    EXPECT_FALSE(read_program(path).privileged) << "we are that user";
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

}  // namespace
}  // namespace ringside::proc
