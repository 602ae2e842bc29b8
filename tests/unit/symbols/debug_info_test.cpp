#include "symbols/debug_info.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "compiled_program.h"
#include "symbols/elf_file.h"
#include "symbols/mapped_file.h"
#include "symbols/unwind_table.h"

namespace ringside::symbols {
namespace {

using builders::compile_program;
using builders::inlining_source;

struct Expected {
    std::string function;
    std::string place;  // "file.cpp:12"
};

std::string base_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

// What binutils says of each address: the innermost function first.
std::vector<std::vector<Expected>> ask_addr2line(const std::string& program,
                                                 const std::vector<std::uint64_t>& addresses) {
    std::vector<std::string> command{"addr2line", "-i", "-f", "-a", "-e", program};
    for (const auto address : addresses) command.push_back(std::to_string(address));
    for (std::size_t i = 6; i < command.size(); ++i) {
        char text[32];
        std::snprintf(text, sizeof text, "0x%llx",
                      static_cast<unsigned long long>(addresses[i - 6]));
        command[i] = text;
    }
    const auto done = base::run(command);
    std::vector<std::vector<Expected>> all;
    if (!done) return all;
    const auto lines = base::split_lines(done->stdout_text);
    for (std::size_t i = 0; i < lines.size();) {
        if (lines[i].starts_with("0x")) {
            all.emplace_back();
            ++i;
            continue;
        }
        std::string place = base_name(lines[i + 1]);
        place = place.substr(0, place.find(' '));  // without "(discriminator 2)"
        all.back().push_back({std::string(lines[i]), place});
        i += 2;
    }
    return all;
}

// Every 3rd address of every function in the program's own code.
std::vector<std::uint64_t> addresses_in(const ElfFile& elf) {
    std::vector<std::uint64_t> addresses;
    for (const auto& symbol : elf.functions.symbols()) {
        const auto name = elf.functions.name(symbol);
        if (!name.starts_with("_ZN4deep") && !name.starts_with("_Z5twice") &&
            !name.starts_with("_Z7recurse") && name != "main")
            continue;
        for (auto address = symbol.start; address < symbol.end; address += 3)
            addresses.push_back(address);
    }
    return addresses;
}

class DebugInfoOf : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(DebugInfoOf, SaysWhatAddr2lineSays) {
    auto words = GetParam();
    const std::string compiler = words.front();
    words.erase(words.begin());
    const auto program = compile_program(compiler, "inlining", inlining_source, words);
    if (!program) GTEST_SKIP() << compiler << " is not here or does not know these flags";
    const auto file = MappedFile::open(*program);
    ASSERT_TRUE(file);
    const auto elf = parse_elf(file->bytes());
    ASSERT_TRUE(elf && elf->has_debug_info);
    const auto addresses = addresses_in(*elf);
    ASSERT_GT(addresses.size(), 20u);
    const auto expected = ask_addr2line(*program, addresses);
    if (expected.empty()) GTEST_SKIP() << "addr2line is not here";
    ASSERT_EQ(expected.size(), addresses.size());
    DebugInfo info(file->bytes());
    std::size_t inlined = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto frames = info.find(addresses[i]);
        ASSERT_EQ(frames.size(), expected[i].size()) << std::hex << addresses[i];
        inlined += frames.size() - 1;
        for (std::size_t k = 0; k < frames.size(); ++k) {
            EXPECT_EQ(frames[k].function, expected[i][k].function) << std::hex << addresses[i];
            const std::string line = frames[k].line == 0 ? "?" : std::to_string(frames[k].line);
            EXPECT_EQ(base_name(frames[k].file) + ":" + line, expected[i][k].place)
                << std::hex << addresses[i];
        }
        EXPECT_EQ(info.line(addresses[i]).line, frames.front().line);
    }
    EXPECT_GE(inlined, 5u);
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, DebugInfoOf,
    ::testing::Values(std::vector<std::string>{"g++", "-O2", "-g", "-gdwarf-5"},
                      std::vector<std::string>{"g++", "-O2", "-g", "-gdwarf-4"},
                      std::vector<std::string>{"g++", "-O2", "-g", "-gdwarf-4", "-gstrict-dwarf"},
                      std::vector<std::string>{"g++", "-O2", "-g", "-gz=zlib", "-static"},
                      std::vector<std::string>{"clang++-14", "-O2", "-g", "-gdwarf-5"},
                      std::vector<std::string>{"clang++-14", "-O2", "-g", "-gdwarf-4"}));

TEST(DebugInfo, CutOrDamagedAnywhereItIsNoCrash) {
    const auto program = compile_program("g++", "damaged", inlining_source, {"-O2", "-g"});
    if (!program) GTEST_SKIP() << "g++ is not here";
    const auto file = MappedFile::open(*program);
    const std::vector<std::byte> whole(file->bytes().begin(), file->bytes().end());
    const auto addresses = addresses_in(*parse_elf(whole));
    for (std::size_t size = 64; size < whole.size(); size += 331) {
        auto damaged = whole;
        damaged[size] ^= std::byte{0x5a};
        DebugInfo info(damaged);
        info.find(addresses[size % addresses.size()]);
        DebugInfo(std::span(whole).first(size)).find(addresses.front());
        UnwindTable(std::span(whole).first(size)).find(addresses.front());
        UnwindTable(damaged).find(addresses.front());
    }
    DebugInfo nothing(std::span<const std::byte>{});
    EXPECT_TRUE(nothing.empty());
    EXPECT_TRUE(nothing.find(0x1000).empty());
}

}  // namespace
}  // namespace ringside::symbols
