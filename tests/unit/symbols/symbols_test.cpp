#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbols/elf_file.h"
#include "symbols/finder.h"
#include "symbols/kallsyms.h"

namespace ringside::symbols {
namespace {

std::string name_at(const SymbolTable& table, std::uint64_t address) {
    const Symbol* symbol = table.find(address);
    return symbol != nullptr ? std::string(table.name(*symbol)) : "";
}

TEST(SymbolTable, OneNameForEachAddressTheBestOne) {
    SymbolTable table;
    table.add(0x100, 0x10, "weak_name", {true, false, true});
    table.add(0x100, 0x10, "__strong", {true, true, true});
    table.add(0x100, 0x10, "_strong_name", {true, true, true});
    table.add(0x100, 0, "no_size", {false, true, true});
    table.finish();
    EXPECT_EQ(name_at(table, 0x10f), "_strong_name");
    EXPECT_EQ(name_at(table, 0x110), "");
    EXPECT_EQ(name_at(table, 0xff), "");
}

TEST(SymbolTable, WithoutASizeASymbolReachesToTheNext) {
    SymbolTable table;
    table.add(0x100, 0, "first");
    table.add(0x200, 0x10, "second");
    table.finish();
    EXPECT_EQ(name_at(table, 0x1ff), "first");
    EXPECT_EQ(name_at(table, 0x20f), "second");
}

TEST(SymbolTable, ALabelInsideAFunctionDoesNotHideItsRest) {
    SymbolTable table;
    table.add(0x100, 0x100, "outer");
    table.add(0x140, 0x10, "inner");
    table.finish();
    EXPECT_EQ(name_at(table, 0x148), "inner");
    EXPECT_EQ(name_at(table, 0x180), "outer");
}

// Whatever the gaps: what a search through all of them finds.
TEST(SymbolTable, FindsInCrowdsAndFarAway) {
    std::minstd_rand random(1);
    for (const std::uint64_t widest : {1u, 300u, 1u << 20, 1u << 31}) {
        SymbolTable table;
        std::uint64_t at = random();
        for (int i = 0; i < 500; ++i) {
            const std::uint64_t step = 1 + random() % widest;
            table.add(at, 1 + random() % step, "f" + std::to_string(i));
            at += step;
        }
        table.finish();
        const auto& symbols = table.symbols();
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t address =
                symbols[random() % symbols.size()].start + random() % (2 * widest) - widest / 2;
            const auto wanted =
                std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
                    return address >= symbol.start && address < symbol.end;
                });
            EXPECT_EQ(table.find(address), wanted == symbols.end() ? nullptr : &*wanted) << address;
        }
    }
}

TEST(Kallsyms, FunctionsOfKernelAndModules) {
    const auto kernel = parse_kallsyms(
        "ffffffff81000000 T _text\n"
        "ffffffff81000100 t do_one\n"
        "ffffffff81000200 D some_data\n"
        "nonsense\n"
        "ffffffffc0000000 t probe\t[virtio_net]\n");
    EXPECT_FALSE(kernel.hidden);
    EXPECT_EQ(name_at(kernel.functions, 0xffffffff81000180), "do_one");
    EXPECT_EQ(name_at(kernel.functions, 0xffffffffc0000010), "probe");
}

TEST(Kallsyms, HiddenAddressesAreNotTakenForSymbols) {
    const auto kernel = parse_kallsyms("0000000000000000 T _text\n0000000000000000 t do_one\n");
    EXPECT_TRUE(kernel.hidden);
    EXPECT_TRUE(kernel.functions.empty());
}

// This test is itself an ELF file with symbols.
extern "C" __attribute__((noinline, used)) int ringside_test_landmark(int value) {
    return value * 7;
}

TEST(ElfFile, FindsTheFunctionsOfThisTest) {
    // At once: byte by byte this takes longer than all other tests of this folder.
    std::string bytes(std::filesystem::file_size("/proc/self/exe"), '\0');
    std::ifstream file("/proc/self/exe", std::ios::binary);
    ASSERT_TRUE(file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
    const auto elf = parse_elf(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(elf);
    EXPECT_TRUE(elf->has_symtab);
    EXPECT_FALSE(elf->segments.empty());
    const auto& all = elf->functions.symbols();
    const bool found = std::any_of(all.begin(), all.end(), [&](const Symbol& symbol) {
        return elf->functions.name(symbol) == "ringside_test_landmark";
    });
    EXPECT_TRUE(found);
}

TEST(ElfFile, CutAnywhereItIsNoCrash) {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    std::string bytes(65536, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EXPECT_FALSE(parse_elf(std::as_bytes(std::span(bytes.data(), 8))));
    for (std::size_t size = 16; size < bytes.size(); size += 997)
        EXPECT_TRUE(parse_elf(std::as_bytes(std::span(bytes.data(), size)))) << size;
}

TEST(Finder, SaysWhyThereAreNoSymbols) {
    const auto missing = Finder().find({"/no/such/file", ""});
    EXPECT_TRUE(missing.elf.functions.empty());
    EXPECT_THAT(missing.reason, ::testing::HasSubstr("not found"));
    const auto replaced = Finder().find({"/proc/self/exe", "00112233"});
    EXPECT_TRUE(replaced.elf.functions.empty());
}

TEST(PerfMap, HexadecimalStartAndSize) {
    const auto table = parse_perf_map("7f00 20 LazyCompile:~fib app.js:1\n0x8000 10 other\nbad\n");
    EXPECT_EQ(name_at(table, 0x7f10), "LazyCompile:~fib app.js:1");
    EXPECT_EQ(name_at(table, 0x8000), "other");
    EXPECT_EQ(name_at(table, 0x9000), "");
}

}  // namespace
}  // namespace ringside::symbols
