#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "vpmu/page_reader.h"
#include "vpmu/threads.h"

namespace ringside::vpmu {
namespace {

struct Page {
    Page(std::uint32_t vcpus, std::uint32_t threads, std::uint32_t samples)
        : words(page_bytes(vcpus, threads, samples) / 8 + 1) {
        EXPECT_TRUE(format_page(words.data(), bytes(), vcpus, threads, samples));
    }
    std::size_t bytes() const { return words.size() * 8; }
    PageReader reader() const { return {words.data(), bytes()}; }
    vpmu_page_header& header() { return *reinterpret_cast<vpmu_page_header*>(words.data()); }

    std::vector<std::uint64_t> words;
};

TEST(Page, LogicalCountIsSumPlusWhatRanSinceTheSwitch) {
    Page page(2, 2, 0);
    vpmu_page_vcpu& vcpu = vcpu_of(page.words.data(), 1);
    vcpu.active = 1;
    vcpu.counter[0] = {.raw = 0, .sum = 1000, .start = 0xfffffff0, .event = 0, .width_bits = 32};
    vpmu_page_thread& thread = thread_of(page.words.data(), 0);
    thread.counter[0].sum = 50;
    const auto phys = [](unsigned) { return std::uint64_t{0x10}; };
    thread_in(vcpu, 1, thread, 1, phys);
    EXPECT_EQ(thread.counter[0].start, 1032u) << "the hardware's wrap is inside the difference";
    const auto later = [](unsigned) { return std::uint64_t{0x40}; };
    std::uint64_t value = 0;
    ASSERT_TRUE(page.reader().read_thread_count(0, 0, later, value));
    EXPECT_EQ(value, 50u + 0x30);
    thread_out(vcpu, thread, 1, later);
    ASSERT_TRUE(page.reader().read_thread_count(0, 0, phys, value));
    EXPECT_EQ(value, 50u + 0x30) << "a thread that does not run stands still";
}

TEST(Page, StarvedCountersAreTold) {
    Page page(1, 0, 0);
    vcpu_of(page.words.data(), 0).starved = 0b1010;
    std::uint64_t starved = 0;
    ASSERT_TRUE(page.reader().read_starved(0, starved));
    EXPECT_EQ(starved, 0b1010u);
    EXPECT_FALSE(page.reader().read_starved(1, starved));
}

TEST(Page, ForgedPagesAreNotOpenedAndNeverHang) {
    Page good(1, 1, 4);
    const auto opens = [&](auto forge) {
        Page page = good;
        forge(page.header());
        return page.reader().is_open();
    };
    EXPECT_TRUE(good.reader().is_open());
    EXPECT_FALSE(PageReader(nullptr, 100).is_open());
    EXPECT_FALSE(PageReader(good.words.data(), 10).is_open());
    EXPECT_FALSE(opens([](auto& h) { h.magic = 0; }));
    EXPECT_FALSE(opens([](auto& h) { h.version = 9; }));
    EXPECT_FALSE(opens([](auto& h) { h.bytes = ~0u; }));
    EXPECT_FALSE(opens([](auto& h) { h.vcpu_offset = h.bytes - 8; }));
    EXPECT_FALSE(opens([](auto& h) { h.vcpu_offset = 65; }));
    EXPECT_FALSE(opens([](auto& h) { h.vcpu_count = ~0u; }));
    EXPECT_FALSE(opens([](auto& h) { h.thread_count = 4000; }));
    EXPECT_FALSE(opens([](auto& h) { h.ring_entries = 3; }));
    EXPECT_FALSE(opens([](auto& h) { h.ring_offset = 0; }));
    vcpu_of(good.words.data(), 0).sequence = 7;  // a writer that never finishes
    std::uint64_t value = 0;
    EXPECT_FALSE(good.reader().read_starved(0, value));
}

TEST(Page, SamplesAreReadInOrderAndTheOverwrittenAreSkipped) {
    Page page(1, 0, 8);
    const auto write = [&](std::uint64_t ip) {
        vpmu_page_sample sample = {};
        sample.ip = ip;
        write_sample(page.words.data(), 0, sample);
    };
    std::uint64_t from = 0;
    vpmu_page_sample taken[16];
    for (std::uint64_t ip = 1; ip <= 3; ++ip) write(ip);
    ASSERT_EQ(page.reader().read_samples(0, from, taken, 16), 3u);
    EXPECT_EQ(taken[2].ip, 3u);
    for (std::uint64_t ip = 4; ip <= 23; ++ip) write(ip);
    ASSERT_EQ(page.reader().read_samples(0, from, taken, 16), 7u);
    EXPECT_EQ(taken[0].ip, 17u);
    EXPECT_EQ(taken[6].ip, 23u);
    EXPECT_EQ(page.reader().read_samples(0, from, taken, 16), 0u);
}

// Sum and start change together; a reader between the two would see a count that never was.
TEST(Page, AReaderNeverSeesHalfAnUpdate) {
    Page page(1, 0, 0);
    vpmu_page_vcpu& vcpu = vcpu_of(page.words.data(), 0);
    vcpu.active = 1;
    vcpu.counter[0].width_bits = 48;
    std::atomic<bool> stop = false;
    std::thread writer([&] {
        for (std::uint64_t n = 1; !stop; ++n) {
            const PageUpdate update(vcpu.sequence);
            std::atomic_ref(vcpu.counter[0].sum).store(n * 1000, std::memory_order_relaxed);
            std::atomic_ref(vcpu.counter[0].start)
                .store((0 - n * 1000) & low_bits(48), std::memory_order_relaxed);
        }
    });
    // sum + (0 - start) is always twice the sum.
    unsigned settled = 0;
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t value = 0;
        if (!read_vcpu_count(
                vcpu, 0, [](unsigned) { return std::uint64_t{0}; }, value))
            continue;
        ++settled;
        ASSERT_EQ(value % 2000, 0u);
    }
    stop = true;
    writer.join();
    EXPECT_GT(settled, 0u);
}

}  // namespace
}  // namespace ringside::vpmu
