#include "guest/elf.h"

#include <cstring>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guest/files.h"

namespace ringside::guest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
void put(std::string& file, std::size_t at, const T& record) {
    if (file.size() < at + sizeof record) file.resize(at + sizeof record);
    std::memcpy(file.data() + at, &record, sizeof record);
}

Elf64_Ehdr header_for(Elf64_Half machine) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = machine;
    return header;
}

// A program that needs liba.so and libb.so, laid out by hand.
std::string small_program() {
    constexpr std::size_t strings_at = 0x300;
    constexpr std::size_t dynamic_at = 0x200;
    constexpr std::uint64_t base = 0x10000;
    std::string file;
    Elf64_Ehdr header = header_for(EM_AARCH64);
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 3;
    put(file, 0, header);
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_vaddr = base;
    load.p_filesz = 0x400;
    put(file, sizeof header, load);
    Elf64_Phdr interpreter{};
    interpreter.p_type = PT_INTERP;
    interpreter.p_offset = strings_at + 17;
    interpreter.p_filesz = 8;
    put(file, sizeof header + sizeof load, interpreter);
    Elf64_Phdr dynamic{};
    dynamic.p_type = PT_DYNAMIC;
    dynamic.p_offset = dynamic_at;
    dynamic.p_filesz = 5 * sizeof(Elf64_Dyn);
    put(file, sizeof header + 2 * sizeof load, dynamic);
    const auto entry = [&](std::size_t index, Elf64_Sxword tag, Elf64_Xword value) {
        Elf64_Dyn dyn{};
        dyn.d_tag = tag;
        dyn.d_un.d_val = value;
        put(file, dynamic_at + index * sizeof dyn, dyn);
    };
    entry(0, DT_NEEDED, 1);
    entry(1, DT_NEEDED, 9);
    entry(2, DT_STRTAB, base + strings_at);
    entry(3, DT_STRSZ, 25);
    entry(4, DT_NULL, 0);
    file.resize(0x400);
    std::memcpy(file.data() + strings_at, "\0liba.so\0libb.so\0/lib/ld\0", 25);
    return file;
}

TEST(Elf, ReadsMachineInterpreterAndNeeded) {
    const std::string file = small_program();
    const auto facts = read_elf(bytes_of(file));
    ASSERT_TRUE(facts && facts->has_value());
    EXPECT_EQ((*facts)->machine, EM_AARCH64);
    EXPECT_EQ((*facts)->interpreter, "/lib/ld");
    EXPECT_THAT((*facts)->needed, ElementsAre("liba.so", "libb.so"));
}

TEST(Elf, ThisProgramNeedsTheCLibrary) {
    const auto file = read_file("/proc/self/exe");
    ASSERT_TRUE(file.has_value());
    const auto facts = read_elf(bytes_of(*file));
    ASSERT_TRUE(facts && facts->has_value());
    EXPECT_THAT((*facts)->needed, Contains("libc.so.6"));
}

TEST(Elf, OtherFilesAreNotElf) {
    EXPECT_EQ(read_elf(bytes_of("#!/bin/sh\n")).value(), std::nullopt);
    EXPECT_EQ(read_elf(bytes_of("")).value(), std::nullopt);
}

TEST(Elf, ThirtyTwoBitFilesAreUnsupported) {
    std::string file = small_program();
    file[EI_CLASS] = ELFCLASS32;
    const auto facts = read_elf(bytes_of(file));
    ASSERT_FALSE(facts.has_value());
    EXPECT_EQ(facts.error().code, ErrorCode::unsupported);
}

TEST(Elf, TruncationsAreErrors) {
    const std::string whole = small_program();
    for (std::size_t size = EI_NIDENT; size < 0x300 + 25; ++size) {
        EXPECT_FALSE(read_elf(bytes_of(whole.substr(0, size))).has_value()) << size;
    }
}

TEST(Elf, HostileOffsetsAreErrors) {
    for (const std::uint64_t offset :
         {std::uint64_t{0x3ff}, ~std::uint64_t{0}, ~std::uint64_t{0} - 40}) {
        std::string file = small_program();
        put(file, offsetof(Elf64_Ehdr, e_phoff), offset);
        EXPECT_FALSE(read_elf(bytes_of(file)).has_value());
        file = small_program();
        put(file, 0x200 + offsetof(Elf64_Dyn, d_un), offset);
        EXPECT_FALSE(read_elf(bytes_of(file)).has_value());
    }
}

std::string small_module(std::string_view modinfo) {
    std::string file;
    Elf64_Ehdr header = header_for(EM_X86_64);
    header.e_shoff = 0x200;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 2;
    header.e_shstrndx = 0;
    put(file, 0, header);
    Elf64_Shdr names{};
    names.sh_name = 0;
    names.sh_offset = 0x100;
    names.sh_size = 10;
    put(file, 0x200, names);
    Elf64_Shdr info{};
    info.sh_name = 1;
    info.sh_offset = 0x300;
    info.sh_size = modinfo.size();
    put(file, 0x200 + sizeof names, info);
    std::memcpy(file.data() + 0x100, "\0.modinfo\0", 10);
    file.resize(0x300);
    file += modinfo;
    return file;
}

TEST(ModuleDepends, ReadsTheList) {
    using namespace std::string_view_literals;
    EXPECT_THAT(
        module_depends(bytes_of(small_module("license=GPL\0depends=kvm,ccp\0name=x\0"sv))).value(),
        ElementsAre("kvm", "ccp"));
    EXPECT_THAT(module_depends(bytes_of(small_module("depends=\0name=x\0"sv))).value(), IsEmpty());
}

TEST(ModuleDepends, RefusesWhatIsNoModule) {
    EXPECT_FALSE(module_depends(bytes_of("")).has_value());
    EXPECT_FALSE(module_depends(bytes_of("not a module at all")).has_value());
    std::string file = small_module("depends=a");
    put(file, 0x200 + offsetof(Elf64_Shdr, sh_offset), ~std::uint64_t{0});
    EXPECT_FALSE(module_depends(bytes_of(file)).has_value());
}

}  // namespace
}  // namespace ringside::guest
