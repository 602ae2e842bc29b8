// Archives as the real tar makes them, and as nobody should.
#include "incoming/tar.h"

#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../../scratch.h"
#include "base/process.h"
#include "incoming/archive.h"

namespace ringside::incoming {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Contents {
    std::map<std::string, std::string> files;
    std::vector<std::string> folders;
    std::vector<std::string> others;
    std::string error;
};

Contents read_all(std::string_view archive) {
    Contents contents;
    TarReader reader(archive);
    while (true) {
        const auto entry = reader.next();
        if (!entry) {
            contents.error = entry.error().what;
            return contents;
        }
        if (!entry->has_value()) return contents;
        const Entry& one = **entry;
        if (S_ISREG(one.mode)) {
            contents.files[one.name] = one.content;
        } else {
            (S_ISDIR(one.mode) ? contents.folders : contents.others).push_back(one.name);
        }
    }
}

// One block of 512 bytes with a right sum, and the content behind it.
struct Raw {
    std::string name;
    char type = '0';
    std::string content{};
    std::string size{};  // the field, if not what the content has
    std::string prefix{};
    std::string magic{
        "ustar\0"
        "00",
        8};
};

std::string padded(std::string text) {
    text.resize((text.size() + 511) / 512 * 512);
    return text;
}

std::string bytes_of(const Raw& raw) {
    std::string block(512, '\0');
    const auto set = [&](std::size_t at, const std::string& text) {
        block.replace(at, text.size(), text);
    };
    set(0, raw.name);
    set(124, raw.size.empty() ? fmt::format("{:011o}", raw.content.size()) : raw.size);
    block[156] = raw.type;
    set(257, raw.magic);
    set(345, raw.prefix);
    set(148, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    set(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return block + padded(raw.content);
}

std::string archive_of(const std::vector<Raw>& entries) {
    std::string bytes;
    for (const auto& entry : entries) bytes += bytes_of(entry);
    return bytes + std::string(1024, '\0');
}

std::string record(const std::string& key, const std::string& value) {
    const std::string rest = " " + key + "=" + value + "\n";
    std::size_t size = rest.size() + 1;
    while (std::to_string(size).size() + rest.size() != size) ++size;
    return std::to_string(size) + rest;
}

class RealTar : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTar, IsReadWhateverItsFormat) {
    const auto version = base::run({"tar", "--version"});
    if (!version || version->stdout_text.find("GNU tar") == std::string::npos) {
        GTEST_SKIP() << "this machine's tar is not GNU's, which knows all formats";
    }
    const fs::path top = scratch::file("tar");
    fs::remove_all(top);
    const std::string long_part(90, 'n');
    const std::string deep = "run/" + long_part + "/" + long_part + "/" + long_part;
    // Names of 100 bytes and more are beyond v7, those of 255 beyond ustar.
    const std::string format = GetParam();
    const std::string name = format == "v7"      ? "run/" + long_part
                             : format == "ustar" ? "run/" + long_part + "/" + long_part
                                                 : deep + "/leaf";
    fs::create_directories(top / fs::path(name).parent_path());
    std::ofstream(top / "run/empty") << "";
    std::ofstream(top / "run/block") << std::string(512, 'b');
    std::ofstream(top / name) << "deep";
    fs::create_symlink("empty", top / "run/link");
    fs::create_hard_link(top / "run/empty", top / "run/same");
    const auto packed = base::run(
        {"tar", "-C", top.string(), "--format=" + format, "-cf", (top / "a.tar").string(), "run"});
    ASSERT_TRUE(packed);
    ASSERT_EQ(packed->status.shell_code(), 0) << packed->stderr_text;
    const auto archive = Archive::open(top / "a.tar");
    ASSERT_TRUE(archive);
    const Contents contents = read_all(archive->bytes());
    EXPECT_EQ(contents.error, "");
    EXPECT_EQ(contents.files.at("run/block"), std::string(512, 'b'));
    EXPECT_EQ(contents.files.at(name), "deep");
    EXPECT_EQ(contents.files.count("run/empty") + contents.files.count("run/same"), 1u);
    EXPECT_EQ(contents.others.size(), 2u) << "the link, and the second name of one file";
    EXPECT_THAT(contents.folders, ::testing::Contains("run"));
    fs::remove_all(top);
}

INSTANTIATE_TEST_SUITE_P(Formats, RealTar, ::testing::Values("gnu", "pax", "ustar", "v7"));

TEST(Tar, NamesComeFromAllPlacesTheyMayStandIn) {
    const Contents contents = read_all(archive_of({
        {"plain", '0', "1"},
        {"old", '\0', "2"},
        {"last", '0', "3", "", "before"},
        {"not posix", '0', "4", "", "times of GNU", std::string("ustar  \0", 8)},
        {"././@LongLink", 'L', std::string("long\0", 5)},
        {"cut", '0', "5"},
        {"PaxHeaders/x", 'x', record("path", "by pax") + record("mtime", "1.5")},
        {"x", '0', "6"},
        {"global", 'g', record("path", "of nobody")},
        {"after", '0', "7"},
        {"folder/", '5'},
    }));
    EXPECT_EQ(contents.error, "");
    const std::map<std::string, std::string> files{
        {"plain", "1"}, {"old", "2"},    {"before/last", "3"}, {"not posix", "4"},
        {"long", "5"},  {"by pax", "6"}, {"after", "7"}};
    EXPECT_EQ(contents.files, files);
    EXPECT_THAT(contents.folders, ::testing::ElementsAre("folder"));
}

TEST(Tar, SizesComeFromAllPlacesTheyMayStandIn) {
    const Contents contents = read_all(archive_of({
        {"octal", '0', "12345", "0000000005 "},
        {"binary", '0', "12345", std::string("\x80\0\0\0\0\0\0\0\0\0\0\5", 12)},
        {"h", 'x', record("size", "5")},
        {"pax", '0', "12345", "00000000000"},
    }));
    EXPECT_EQ(contents.error, "");
    for (const auto* name : {"octal", "binary", "pax"}) EXPECT_EQ(contents.files.at(name), "12345");
}

TEST(Tar, WhatIsNoFileIsNotTakenForOne) {
    const Contents contents = read_all(archive_of({
        {"hard", '1'},
        {"soft", '2'},
        {"character", '3'},
        {"block", '4'},
        {"pipe", '6'},
        {"contiguous", '7'},
        {"gnu sparse", 'S'},
        {"multivolume", 'M'},
        {"unknown", 'Z'},
        {"h", 'x', record("GNU.sparse.major", "1")},
        {"pax sparse", '0', "map"},
        {"file", '0', "x"},
    }));
    EXPECT_EQ(contents.others.size(), 10u);
    EXPECT_EQ(contents.files.size(), 1u);
}

TEST(Tar, WhatIsBrokenIsRefused) {
    const std::string high(12, '\xff');
    std::string wrong_sum = archive_of({{"a", '0', "x"}});
    wrong_sum[0] = 'b';
    const std::pair<std::string, const char*> cases[] = {
        {"", "ends in the middle"},
        {std::string(511, '\0'), "ends in the middle"},
        {bytes_of({"a", '0', "x"}), "ends in the middle"},
        {bytes_of({"a", '0', "x"}).substr(0, 512), "ends in the middle"},
        {wrong_sum, "sum of a header"},
        {std::string(1024, 'x'), "sum of a header"},
        {archive_of({{"a", '0', "", "77777777777"}}), "ends in the middle"},
        {archive_of({{"a", '0', "", high}}), "size is no number"},
        {archive_of(
             {{"a", '0', "", std::string("\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 12)}}),
         "ends in the middle"},
        {archive_of({{"a", '0', "", std::string("\x80\1\0\0\0\0\0\0\0\0\0\0", 12)}}), "no number"},
        {archive_of({{"a", '0', "", "-1         "}}), "no number"},
        {archive_of({{"a", '0', "", "999        "}}), "no number"},
        {archive_of({{"x", 'x', "0 a=b\n"}, {"a"}}), "without a length"},
        {archive_of({{"x", 'x', "999 a=b\n"}, {"a"}}), "without a length"},
        {archive_of({{"x", 'x', "nonsense"}, {"a"}}), "without a length"},
        {archive_of({{"x", 'x', "2 "}, {"a"}}), "without a length"},
        {archive_of({{"x", 'x', record("size", "-5")}, {"a"}}), "no number"},
        {archive_of({{"x", 'x', record("size", "18446744073709551615")}, {"a"}}), "in the middle"},
        {archive_of({{"L", 'L', "", "77777777777"}}), "ends in the middle"},
    };
    for (const auto& [bytes, refusal] : cases) {
        EXPECT_THAT(read_all(bytes).error, HasSubstr(refusal)) << bytes.substr(0, 140);
    }
}

}  // namespace
}  // namespace ringside::incoming
