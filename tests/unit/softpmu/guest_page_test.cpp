// What the plugin does with a page that a guest can write: samples where they were asked for, and
// nothing that the guest writes leads it elsewhere.
#include "softpmu/guest_page.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/soft_counts.h"
#include "vpmu/page_reader.h"

namespace ringside::softpmu {
namespace {

constexpr std::uint64_t counters = 1u << SOFT_INSTRUCTIONS | 1u << SOFT_BRANCHES;

struct Lent {
    explicit Lent(std::uint32_t vcpus = 2)
        : words((GuestPage::bytes_for(vcpus) + guard_bytes) / sizeof(std::uint64_t), guard) {
        EXPECT_TRUE(page.format(memory(), {vcpus, Guest::x86_64, counters}));
    }
    static constexpr std::size_t guard_bytes = 4096;
    static constexpr std::uint64_t guard = 0x5a5a5a5a5a5a5a5a;

    std::span<std::byte> memory() {
        return std::as_writable_bytes(std::span(words)).first(words.size() * 8 - guard_bytes);
    }
    vpmu::PageReader reader() { return {words.data(), memory().size()}; }
    bool guard_stands() const {
        for (std::size_t i = words.size() - guard_bytes / 8; i < words.size(); ++i) {
            if (words[i] != guard) return false;
        }
        return true;
    }
    // As if `amount` instructions ended the count at `now`; each one's address is its number.
    void sound(std::uint32_t vcpu, std::uint64_t now, std::int64_t amount) {
        page.sound(vcpu, SOFT_INSTRUCTIONS, now, amount, [&](std::uint64_t n) { return now - n; });
    }
    std::vector<std::uint64_t> sampled(std::uint32_t vcpu) {
        std::vector<vpmu_page_sample> samples(2000);
        const auto count = reader().read_samples(vcpu, from, samples.data(), samples.size());
        std::vector<std::uint64_t> addresses;
        for (std::size_t i = 0; i < count; ++i) addresses.push_back(samples[i].ip);
        return addresses;
    }

    std::vector<std::uint64_t> words;
    GuestPage page;
    std::uint64_t from = 0;
};

TEST(GuestPage, SaysWhenItsCountersStandStill) {
    Lent lent;
    const auto reader = lent.reader();
    EXPECT_EQ(reader.vcpu(0)->starved, 0u);
    lent.page.set_starved(true);
    for (const unsigned vcpu : {0u, 1u}) {
        EXPECT_EQ(reader.vcpu(vcpu)->starved, reader.vcpu(vcpu)->active);
        EXPECT_EQ(reader.vcpu(vcpu)->starved_ns, 0u) << "until it is over";
        EXPECT_EQ(reader.vcpu(vcpu)->sequence % 2, 0u);
    }
    lent.page.set_starved(false);
    EXPECT_EQ(reader.vcpu(1)->starved, 0u);
    const auto once = reader.vcpu(1)->starved_ns;
    EXPECT_GT(once, 0u);
    lent.page.set_starved(false);
    EXPECT_EQ(reader.vcpu(1)->starved_ns, once) << "it was not, in between";
}

TEST(GuestPage, IsAPageThatReadersKnow) {
    Lent lent;
    const auto reader = lent.reader();
    ASSERT_TRUE(reader.is_open());
    EXPECT_EQ(reader.header().vcpu_count, 2u);
    EXPECT_EQ(reader.vcpu(1)->active, counters | 1u << SOFT_USER_INSTRUCTIONS);
    EXPECT_EQ(lent.page.alarms(1).counter[SOFT_BRANCHES].limit, VPMU_PAGE_NEVER);
    EXPECT_EQ(GuestPage::bytes_for(0), 0u);
    EXPECT_EQ(GuestPage::bytes_for(5000), 0u);
    EXPECT_FALSE(lent.page.format({}, {2, Guest::x86_64, counters}));
}

TEST(GuestPage, TakesASampleAtEveryPeriod) {
    Lent lent;
    lent.page.alarms(1).counter[SOFT_INSTRUCTIONS] = {105, 10};
    lent.sound(1, 110, 20);
    EXPECT_EQ(lent.sampled(1), (std::vector<std::uint64_t>{105}));
    lent.sound(1, 140, 30);
    EXPECT_EQ(lent.sampled(1), (std::vector<std::uint64_t>{115, 125, 135}));
    EXPECT_EQ(lent.page.alarms(1).counter[SOFT_INSTRUCTIONS].limit, 145u);
}

TEST(GuestPage, TakesALimitThatHasPassedForNow) {
    Lent lent;
    lent.page.alarms(0).counter[SOFT_INSTRUCTIONS] = {3, 1000};
    lent.sound(0, 500, 5);
    EXPECT_EQ(lent.sampled(0), (std::vector<std::uint64_t>{496}));
    // A correction takes back instructions; nothing was executed.
    lent.page.alarms(0).counter[SOFT_INSTRUCTIONS].limit = 3;
    lent.sound(0, 490, -10);
    EXPECT_TRUE(lent.sampled(0).empty());
}

TEST(GuestPage, IsBoundedWhateverTheGuestAsksFor) {
    Lent lent;
    lent.page.alarms(0).counter[SOFT_INSTRUCTIONS] = {0, 0};
    lent.sound(0, 1000, 12);
    EXPECT_EQ(lent.sampled(0).size(), 12u);
    lent.page.alarms(0).counter[SOFT_INSTRUCTIONS] = {1001, VPMU_PAGE_NEVER};
    lent.sound(0, 1001, 1);
    EXPECT_EQ(lent.page.alarms(0).counter[SOFT_INSTRUCTIONS].limit, VPMU_PAGE_NEVER);
    lent.sound(7, 1001, 1);  // a vCPU that the page has no room for
    EXPECT_TRUE(lent.guard_stands());
}

// Random bytes everywhere, again and again: it stays inside its memory, and its own count of
// samples goes on as if nothing had happened.
TEST(GuestPage, IsNotLedAstrayByAForgedPage) {
    Lent lent;
    std::mt19937_64 random(1);
    std::uint64_t samples = 0;
    for (int round = 0; round < 200; ++round) {
        for (std::size_t i = 0; i < lent.memory().size() / 8; ++i) {
            lent.words[i] = random() % 4 == 0 ? random() : 0;
        }
        lent.page.alarms(0).counter[SOFT_INSTRUCTIONS] = {random() % 100, random() % 3};
        const std::uint64_t period =
            std::max<std::uint64_t>(lent.page.alarms(0).counter[SOFT_INSTRUCTIONS].period, 1);
        lent.sound(0, 1000, 6);
        samples += (6 + period - 1) / period;
        EXPECT_EQ(lent.page.vcpu(0).ring_head, samples);
    }
    EXPECT_TRUE(lent.guard_stands());
}

// What the device at the other end is told, in the order of the protocol.
TEST(GuestPage, IsHandedOverWithADoorbellForEachVcpu) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    GuestPage page;
    ASSERT_EQ(page.open(ends[0], {3, Guest::arm64, counters}), 0);
    std::vector<std::int64_t> values;
    for (int i = 0; i < 6; ++i) {
        std::int64_t value = 0;
        ASSERT_EQ(::recv(ends[1], &value, sizeof value, MSG_DONTWAIT), 8);
        values.push_back(value);
    }
    EXPECT_EQ(values, (std::vector<std::int64_t>{0, 0, -1, 0, 0, 0}));
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_NE(page.open(-1, {3, Guest::arm64, counters}), 0);
}

}  // namespace
}  // namespace ringside::softpmu
