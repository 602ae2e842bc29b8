// Programs, as an unprivileged user may leave them where root profiles: their symbols, notes and
// debug information are read with the bounds of a recording.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <zlib.h>

#include "../scratch.h"
#include "base/text.h"
#include "elf_builder.h"
#include "run.h"

namespace ringside::hostile {
namespace {

using builders::Bytes;
using builders::DataBuilder;
using builders::elf_of;
using builders::elf_symbol;
using builders::ElfPart;

constexpr std::uint64_t code_at = 0x1000;
constexpr std::uint64_t code_bytes = 0x100000;

ElfPart code() {
    return {".text", SHT_PROGBITS, "", SHF_ALLOC | SHF_EXECINSTR, code_at, 0, -1};
}

// Symbols in a table whose names are at these places of `names`.
std::vector<ElfPart> with_symbols(const std::string& names, const std::string& symbols) {
    ElfPart table{".symtab", SHT_SYMTAB, symbols, 0, 0, 3, -1};
    ElfPart strings{".strtab", SHT_STRTAB, names, 0, 0, 0, -1};
    return {code(), table, strings};
}

std::string one_long_name_for_all() {
    std::string symbols;
    for (std::uint64_t i = 0; i < 12'000; ++i) symbols += elf_symbol(1, code_at + i * 16);
    return elf_of(with_symbols('\0' + std::string(1'600'000, 'n'), symbols));
}

std::string names_that_share_their_ends() {
    std::string symbols;
    for (std::uint32_t i = 0; i < 30'000; ++i) symbols += elf_symbol(1 + i * 20, code_at + i * 16);
    return elf_of(with_symbols('\0' + std::string(1'200'000, 'n'), symbols));
}

std::string names_that_double() {
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string names(1, '\0');
    std::string symbols;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        std::string name = "_Z" + std::to_string(5 + std::to_string(i).size()) + "namen" +
                           std::to_string(i) + "1aIiiE";
        for (std::size_t level = 0; level < 30; ++level) {
            const std::string before = {'S', digits[level], '_'};
            name += "S_I" + before + before + 'E';
        }
        symbols += elf_symbol(static_cast<std::uint32_t>(names.size()), code_at + i * 16);
        names += name + '\0';
    }
    return elf_of(with_symbols(names, symbols));
}

std::string symbols_that_a_terminal_obeys() {
    std::string names(1, '\0');
    names += std::string("\x1b[2J\x1b]0;owned\x07\n 99 % root\0", 27);
    return elf_of(with_symbols(names, elf_symbol(1, code_at, code_bytes)));
}

std::string sections_of_one_table() {
    std::string symbols;
    for (std::uint64_t i = 0; i < 10'000; ++i) symbols += elf_symbol(1, code_at + i * 16);
    auto parts = with_symbols(std::string("\0name\0", 6), symbols);
    for (int i = 0; i < 25'000; ++i) parts.push_back({"", SHT_SYMTAB, "", 0, 0, 3, 2});
    return elf_of(parts);
}

std::string sections_of_one_note() {
    Bytes note;
    for (int i = 0; i < 60'000; ++i) note.u32(4).u32(0).u32(9).raw(std::string("XYZ\0", 4));
    std::vector<ElfPart> parts{code(), {".note", SHT_NOTE, note.text(), 0, 0, 0, -1}};
    for (int i = 0; i < 15'000; ++i) parts.push_back({"", SHT_NOTE, "", 0, 0, 0, 2});
    return elf_of(parts);
}

std::string sections_with_long_names() {
    std::vector<ElfPart> parts{code()};
    parts.push_back({std::string(900'000, 's'), SHT_NOTE, "", 0, 0, 0, -1});
    std::string file = elf_of(parts);
    Elf64_Ehdr head;
    std::memcpy(&head, file.data(), sizeof head);
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + head.e_shoff + 2 * sizeof section, sizeof section);
    while (file.size() < most_bytes - sizeof section) {
        ++section.sh_name;
        file.append(reinterpret_cast<const char*>(&section), sizeof section);
    }
    const std::uint64_t count = (file.size() - head.e_shoff) / sizeof section;
    head.e_shnum = 0;
    std::memcpy(file.data(), &head, sizeof head);
    std::memcpy(file.data() + head.e_shoff + offsetof(Elf64_Shdr, sh_size), &count, sizeof count);
    return file;
}

std::string debug_link_elsewhere() {
    return elf_of({code(),
                   {".gnu_debuglink", SHT_PROGBITS,
                    std::string("../../../../../dev/zero\0\0\0\0\0", 28), 0, 0, 0, -1}});
}

// DWARF. `units` of .debug_info whose root has the attributes of `shape`.
std::string shape_of(const std::vector<std::pair<int, int>>& fields) {
    std::string text{"\x01\x11\x00", 3};  // 1: a compilation unit without children
    for (const auto& [attribute, form] : fields) {
        text += static_cast<char>(attribute);
        text += static_cast<char>(form);
    }
    return text + std::string(3, '\0');
}
std::string unit_of(std::uint16_t version, const std::string& root) {
    Bytes body;
    body.u16(version);
    if (version >= 5) {
        body.raw(std::string("\x01\x08", 2)).u32(0);
    } else {
        body.u32(0).raw("\x08");
    }
    body.raw("\x01").raw(root);
    return Bytes().u32(static_cast<std::uint32_t>(body.size())).raw(body.text()).text();
}
constexpr int low_pc = 0x11, high_pc = 0x12, stmt_list = 0x10, ranges = 0x55;
constexpr int as_address = 0x01, as_data8 = 0x07, as_offset = 0x17;

std::string whole_code(std::uint32_t line_program) {
    return Bytes().u64(code_at).u64(code_bytes).u32(line_program).text();
}
std::string whole_code_shape() {
    return shape_of({{low_pc, as_address}, {high_pc, as_data8}, {stmt_list, as_offset}});
}

ElfPart debug(const std::string& name, const std::string& content) {
    return {name, SHT_PROGBITS, content, 0, 0, 0, -1};
}

std::string a_table_whose_entries_take_no_room() {
    Bytes head;
    head.raw(std::string("\x01\x01\x01\xfb\x0e\x01", 6));  // as usual, without standard opcodes
    head.raw(std::string("\x01\x01\x19", 3));              // a folder has a path that is a flag
    head.raw("\xff\xff\xff\xff\xff\xff\xff\xff\x7f");      // and there are 2^63 of them
    Bytes line;
    line.u16(5)
        .raw(std::string("\x08\x00", 2))
        .u32(static_cast<std::uint32_t>(head.size()))
        .raw(head.text());
    return elf_of(
        {code(), debug(".debug_info", unit_of(5, whole_code(0))),
         debug(".debug_abbrev", whole_code_shape()),
         debug(".debug_line",
               Bytes().u32(static_cast<std::uint32_t>(line.size())).raw(line.text()).text())});
}

std::string units_that_share_their_ranges() {
    std::string info;
    while (info.size() < most_bytes / 2 - 4096) info += unit_of(4, Bytes().u32(0).text());
    Bytes list;
    for (std::uint64_t i = 0; list.size() < most_bytes / 2 - 4096; ++i) {
        list.u64(code_at + i * 4).u64(code_at + i * 4 + 2);
    }
    return elf_of({code(), debug(".debug_info", info),
                   debug(".debug_abbrev", shape_of({{ranges, as_offset}})),
                   debug(".debug_ranges", list.text())});
}

std::string units_that_share_their_shapes() {
    std::string info;
    while (info.size() < most_bytes / 2) info += unit_of(4, "");
    std::string shapes;
    // All of another number, so that each unit looks through the whole table.
    while (shapes.size() < most_bytes / 2 - 8192)
        shapes += std::string("\x02\x11\x00\x03\x08\x00\x00", 7);
    return elf_of({code(), debug(".debug_info", info), debug(".debug_abbrev", shapes)});
}

std::string rows_without_end() {
    Bytes head;
    head.raw(std::string("\x01\x01\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18))
        .raw(std::string("\0a.c\0\0\0\0\0", 9));
    std::string program = std::string("\x00\x09\x02", 3) + Bytes().u64(code_at).text();
    program += std::string(most_bytes - 4096, '\x4b') + std::string("\x00\x01\x01", 3);
    Bytes line;
    line.u16(4).u32(static_cast<std::uint32_t>(head.size())).raw(head.text()).raw(program);
    return elf_of(
        {code(), debug(".debug_info", unit_of(4, whole_code(0))),
         debug(".debug_abbrev", whole_code_shape()),
         debug(".debug_line",
               Bytes().u32(static_cast<std::uint32_t>(line.size())).raw(line.text()).text())});
}

std::string units_that_share_their_lines() {
    std::string info;
    for (std::uint64_t i = 0; i < 200; ++i) {
        info += unit_of(4, Bytes().u64(code_at + i * 16).u64(16).u32(0).text());
    }
    Bytes head;
    head.raw(std::string("\x01\x01\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18))
        .raw(std::string("\0a.c\0\0\0\0\0", 9));
    std::string program = std::string("\x00\x09\x02", 3) + Bytes().u64(code_at).text();
    program += std::string(most_bytes / 2, '\x4b') + std::string("\x00\x01\x01", 3);
    Bytes line;
    line.u16(4).u32(static_cast<std::uint32_t>(head.size())).raw(head.text()).raw(program);
    return elf_of(
        {code(), debug(".debug_info", info), debug(".debug_abbrev", whole_code_shape()),
         debug(".debug_line",
               Bytes().u32(static_cast<std::uint32_t>(line.size())).raw(line.text()).text())});
}

std::string debug_information_that_unpacks_without_end() {
    std::string packed(compressBound(std::size_t{400} << 20), '\0');
    uLongf size = packed.size();
    const std::string zeros(std::size_t{400} << 20, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(zeros.data()), zeros.size(), 9);
    packed.resize(size);
    const std::string content =
        Bytes().u32(ELFCOMPRESS_ZLIB).u32(0).u64(zeros.size()).u64(1).raw(packed).text();
    std::vector<ElfPart> parts{code()};
    for (const char* name :
         {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_ranges"}) {
        ElfPart part = debug(name, parts.size() == 1 ? content : "");
        part.flags = SHF_COMPRESSED;
        part.same_as = parts.size() == 1 ? -1 : 2;
        parts.push_back(part);
    }
    return elf_of(parts);
}

std::vector<Shape> programs() {
    return {
        {"one_long_name_for_all", one_long_name_for_all},
        {"names_that_share_their_ends", names_that_share_their_ends},
        {"names_that_double", names_that_double},
        {"symbols_that_a_terminal_obeys", symbols_that_a_terminal_obeys},
        {"sections_of_one_table", sections_of_one_table},
        {"sections_of_one_note", sections_of_one_note},
        {"sections_with_long_names", sections_with_long_names},
        {"debug_link_elsewhere", debug_link_elsewhere},
        {"a_table_whose_entries_take_no_room", a_table_whose_entries_take_no_room},
        {"units_that_share_their_ranges", units_that_share_their_ranges},
        {"units_that_share_their_shapes", units_that_share_their_shapes},
        {"rows_without_end", rows_without_end},
        {"units_that_share_their_lines", units_that_share_their_lines},
        {"debug_information_that_unpacks_without_end", debug_information_that_unpacks_without_end},
    };
}

class HostileProgram : public ::testing::TestWithParam<Shape> {};

TEST_P(HostileProgram, IsReadWithinItsBounds) {
    const std::string program = scratch::file("program");
    const std::string bytes = GetParam().bytes();
    ASSERT_LE(bytes.size(), most_bytes + (std::size_t{256} << 10));
    std::ofstream(program, std::ios::binary) << bytes;
    DataBuilder builder;
    builder.comm(7, 7, 1, "app").map(7, 1, 0x400000, 0x200000, 0, program);
    for (std::uint64_t i = 0; i < 3000; ++i) builder.sample(7, 2, 0x400000 + code_at + i * 16);
    const std::string data = scratch::file("program.data");
    DataBuilder::write(data, builder.file());
    for (const auto& more : std::vector<std::vector<std::string>>{
             {}, {"--json"}, {"--sort", "symbol,srcline"}, {"--call-graph"}}) {
        std::vector<std::string> words{"report", "-i", data};
        words.insert(words.end(), more.begin(), more.end());
        const Ended ended = run_bounded(words);
        expect_harmless(ended, more.empty() ? "report" : more.front());
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileProgram, ::testing::ValuesIn(programs()),
                         [](const auto& each) { return std::string(each.param.name); });

// Where this very function lies in this program's file.
extern "C" std::uint64_t ringside_hostile_landmark() {
    const auto here = reinterpret_cast<std::uint64_t>(&ringside_hostile_landmark);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t begin = 0, end = 0, offset = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &offset) != 3) continue;
        if (begin <= here && here < end) return here - begin + offset;
    }
    return 0;
}

// A recording names modules as it likes, also from the working directory: objdump, told of this one
// as an option, would say which version it is and disassemble nothing.
TEST(HostileProgramName, IsNoOptionOfObjdump) {
    if (!base::find_executable("objdump")) GTEST_SKIP() << "no objdump";
    namespace fs = std::filesystem;
    const std::string folder = scratch::file("options");
    fs::create_directories(folder);
    fs::create_symlink(fs::read_symlink("/proc/self/exe"), folder + "/--version");
    DataBuilder builder;
    builder.comm(7, 7, 1, "app").map(7, 1, 0x400000, 0x20000000, 0, "--version");
    builder.sample(7, 2, 0x400000 + ringside_hostile_landmark());
    DataBuilder::write(folder + "/data", builder.file());
    const Ended ended =
        run_bounded({"annotate", "-i", "data", "ringside_hostile_landmark"}, {"-C", folder});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_TRUE(base::contains(ended.out, "ret")) << ended.out << ended.err;
}

}  // namespace
}  // namespace ringside::hostile
