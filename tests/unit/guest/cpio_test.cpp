#include "guest/cpio.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "incoming/cpio.h"

namespace ringside::guest {
namespace {

using incoming::CpioReader;

std::string sample() {
    CpioWriter writer;
    writer.add_directory("etc");
    writer.add_file("etc/name", "box\n", 0640);
    writer.add({"init", S_IFLNK | 0777, "etc/name"});
    return writer.finish();
}

TEST(Cpio, ReadsWhatItWrote) {
    const std::string archive = sample();
    CpioReader reader(archive);
    const auto directory = reader.next();
    ASSERT_TRUE(directory && directory->has_value());
    EXPECT_EQ((*directory)->name, "etc");
    EXPECT_EQ((*directory)->mode, S_IFDIR | 0755u);
    const auto file = reader.next();
    ASSERT_TRUE(file && file->has_value());
    EXPECT_EQ((*file)->name, "etc/name");
    EXPECT_EQ((*file)->mode, S_IFREG | 0640u);
    EXPECT_EQ((*file)->content, "box\n");
    const auto link = reader.next();
    ASSERT_TRUE(link && link->has_value());
    EXPECT_EQ((*link)->content, "etc/name");
    const auto end = reader.next();
    ASSERT_TRUE(end.has_value());
    EXPECT_FALSE(end->has_value());
}

TEST(Cpio, IsReproducible) {
    EXPECT_EQ(sample(), sample());
}

TEST(Cpio, HeaderIsWhatTheKernelExpects) {
    CpioWriter writer;
    writer.add_file("a", "xyz", 0644);
    const std::string archive = writer.finish();
    EXPECT_EQ(archive.substr(0, 110),
              "070701"
              "00000001"
              "000081a4"
              "00000000"
              "00000000"
              "00000001"
              "00000000"
              "00000003"
              "00000000"
              "00000000"
              "00000000"
              "00000000"
              "00000002"
              "00000000");
    EXPECT_EQ(archive.size() % 4, 0u);
}

TEST(Cpio, ArchivesFollowEachOtherWithPadding) {
    const std::string two = sample() + std::string(512, '\0') + sample();
    CpioReader reader(two);
    int entries = 0;
    int ends = 0;
    while (ends < 2) {
        const auto entry = reader.next();
        ASSERT_TRUE(entry.has_value());
        ++(entry->has_value() ? entries : ends);
    }
    EXPECT_EQ(entries, 6);
}

TEST(Cpio, EveryTruncationIsAnErrorAndNoneIsRead) {
    const std::string whole = sample();
    for (std::size_t size = 0; size + 4 < whole.size(); ++size) {
        const std::string cut = whole.substr(0, size);
        CpioReader reader(cut);
        bool failed = false;
        while (!failed) {
            const auto entry = reader.next();
            if (entry && !entry->has_value()) break;
            failed = !entry.has_value();
        }
        EXPECT_TRUE(failed) << size;
    }
}

TEST(Cpio, RefusesNonsense) {
    std::string bad = sample();
    bad.replace(6 + 8 * 11, 8, "ffffffff");
    EXPECT_FALSE(CpioReader(bad).next().has_value());
    bad.replace(6 + 8 * 11, 8, "00000000");
    EXPECT_FALSE(CpioReader(bad).next().has_value());
    bad.replace(6 + 8 * 6, 8, "not hex!");
    EXPECT_FALSE(CpioReader(bad).next().has_value());
    bad = sample();
    bad.replace(6 + 8 * 6, 8, "ffffffff");
    EXPECT_FALSE(CpioReader(bad).next().has_value());
    bad = sample();
    bad.replace(110 + 3, 1, "x");  // the NUL of the first name
    EXPECT_FALSE(CpioReader(bad).next().has_value());
    EXPECT_FALSE(CpioReader("070702" + std::string(200, '0')).next().has_value());
}

}  // namespace
}  // namespace ringside::guest
