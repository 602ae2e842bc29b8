#include "hyp/core/fdt.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::hyp {
namespace {

using Blob = std::vector<std::uint8_t>;

void add32(Blob& to, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) to.push_back(std::uint8_t(value >> shift));
}
void add64(Blob& to, std::uint64_t value) {
    add32(to, std::uint32_t(value >> 32));
    add32(to, std::uint32_t(value));
}
void add_text(Blob& to, const std::string& text) {
    to.insert(to.end(), text.begin(), text.end());
    to.push_back(0);
    while (to.size() % 4 != 0) to.push_back(0);
}

const std::string names = std::string("reg\0bootargs\0method\0", 20);
constexpr std::uint32_t reg = 0;
constexpr std::uint32_t bootargs = 4;
constexpr std::uint32_t method = 13;

Blob structure() {
    Blob s;
    const auto node = [&](const std::string& name) { add32(s, 1), add_text(s, name); };
    node("");
    node("chosen");
    add32(s, 3), add32(s, 4), add32(s, bootargs), add_text(s, "old");
    add32(s, 2);
    node("memory@40000000");
    add32(s, 3), add32(s, 16), add32(s, reg), add64(s, 0x40000000), add64(s, 0x10000000);
    add32(s, 2);
    add32(s, 4);
    node("psci");
    add32(s, 3), add32(s, 4), add32(s, method), add_text(s, "smc");
    add32(s, 2);
    add32(s, 2);
    add32(s, 9);
    return s;
}

Blob tree() {
    const Blob s = structure();
    Blob blob;
    const std::uint32_t structure_at = 40 + 16;
    const auto strings_at = std::uint32_t(structure_at + s.size());
    add32(blob, 0xd00dfeed);
    add32(blob, std::uint32_t(strings_at + names.size()));
    for (const std::uint32_t word : {structure_at, strings_at, 40u, 17u, 16u, 0u})
        add32(blob, word);
    add32(blob, std::uint32_t(names.size()));
    add32(blob, std::uint32_t(s.size()));
    add64(blob, 0), add64(blob, 0);
    blob.insert(blob.end(), s.begin(), s.end());
    blob.insert(blob.end(), names.begin(), names.end());
    return blob;
}

bool holds(const Blob& blob, const std::string& text) {
    return std::search(blob.begin(), blob.end(), text.begin(), text.end()) != blob.end();
}

const GuestTree wanted{
    {0x48000000, 0x4c000000}, {0x4a000000, 0x4a001000}, "quiet", "lazy_mediated", 23};

TEST(Fdt, finds_the_memory) {
    const Range memory = find_memory(tree());
    EXPECT_EQ(memory.begin, 0x40000000u);
    EXPECT_EQ(memory.end, 0x50000000u);
}

TEST(Fdt, a_guest_is_told_of_its_own) {
    Blob out(4096);
    const std::size_t bytes = write_guest_tree(tree(), wanted, out);
    ASSERT_GT(bytes, tree().size());
    out.resize(bytes);
    const Range memory = find_memory(out);
    EXPECT_EQ(memory.begin, 0x48000000u);
    EXPECT_EQ(memory.end, 0x4c000000u);
    EXPECT_TRUE(holds(out, "quiet"));
    EXPECT_FALSE(holds(out, "old"));
    EXPECT_TRUE(holds(out, "linux,initrd-start"));
    EXPECT_TRUE(holds(out, "smc"));
    EXPECT_TRUE(holds(out, "ringside,hyp"));
    EXPECT_TRUE(holds(out, "lazy_mediated"));
    Blob initrd;
    add64(initrd, 0x4a001000);
    EXPECT_TRUE(holds(out, std::string(initrd.begin(), initrd.end())));
    Blob interrupt;  // private, number 23, level-sensitive
    add32(interrupt, 1), add32(interrupt, 7), add32(interrupt, 4);
    EXPECT_TRUE(holds(out, std::string(interrupt.begin(), interrupt.end())));
    // What was written can be read, and so written again.
    Blob again(4096);
    EXPECT_GT(write_guest_tree(out, wanted, again), 0u);
}

TEST(Fdt, does_not_write_beyond_its_room) {
    Blob whole(4096);
    const std::size_t bytes = write_guest_tree(tree(), wanted, whole);
    for (std::size_t room = 0; room < bytes; ++room) {
        Blob out(room);
        EXPECT_EQ(write_guest_tree(tree(), wanted, out), 0u) << room;
    }
    Blob out(bytes);
    EXPECT_EQ(write_guest_tree(tree(), wanted, out), bytes);
}

TEST(Fdt, a_damaged_tree_is_refused_or_read_within_its_bounds) {
    const Blob good = tree();
    for (std::size_t length = 0; length < good.size(); ++length) {
        const Blob cut(good.begin(), good.begin() + std::ptrdiff_t(length));
        Blob out(4096);
        EXPECT_EQ(write_guest_tree(cut, wanted, out), 0u) << length;
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
        Blob bad = good;
        bad[at] ^= 0xff;
        Blob out(4096);
        (void)find_memory(bad);
        EXPECT_LE(write_guest_tree(bad, wanted, out), out.size());
    }
}

}  // namespace
}  // namespace ringside::hyp
