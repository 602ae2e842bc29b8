#include "record/store.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scratch.h"
#include "perf/data_file.h"
#include "perf/record_encoder.h"

namespace ringside::record {
namespace {

using perf::RingBuffer;

std::vector<std::byte> two_samples_and_a_loss() {
    base::ByteWriter out;
    perf::SampleRecord sample;
    sample.stamp = {7, 7, 300, 0, 1};
    perf::encode_sample(out, sample);
    sample.stamp.time_ns = 200;
    sample.in_kernel = true;
    perf::encode_sample(out, sample);
    out.u32(PERF_RECORD_LOST).u16(0).u16(24).u64(1).u64(42);
    out.u32(PERF_RECORD_THROTTLE).u16(0).u16(8);
    return std::move(out).take();
}

void expect_counts(const Tally& tally) {
    EXPECT_EQ(tally.samples, 2u);
    EXPECT_EQ(tally.lost, 42u);
    EXPECT_EQ(tally.throttled, 1u);
    EXPECT_EQ(tally.first_sample_ns, 200u);
    EXPECT_EQ(tally.last_sample_ns, 300u);
    EXPECT_TRUE(tally.kernel);
}

// A buffer's end may lie anywhere in a record.
TEST(CountRecords, IsTheSameWhereverTheBufferWraps) {
    const auto bytes = two_samples_and_a_loss();
    const std::span<const std::byte> all(bytes);
    for (std::size_t seam = 0; seam <= bytes.size(); ++seam) {
        Tally tally;
        count_records({all.first(seam), all.subspan(seam)}, tally);
        expect_counts(tally);
    }
}

TEST(CountRecords, StopsAtWhatIsNoRecord) {
    const std::vector<std::byte> zeros(64);
    Tally tally;
    count_records({zeros, {}}, tally);
    EXPECT_EQ(tally.samples, 0u);
}

class Rounds : public ::testing::Test {
  protected:
    Rounds() {
        perf::WrittenEvent event;
        event.attributes.size = sizeof event.attributes;
        event.attributes.sample_type = perf::made_sample_type;
        event.attributes.sample_id_all = 1;
        event.ids = {1};
        auto writer = perf::DataWriter::create(path_, {event}, {});
        EXPECT_TRUE(writer);
        store_.emplace(std::move(*writer), 2);
        EXPECT_TRUE(store_->writer().publish());
    }
    ~Rounds() override { std::filesystem::remove(path_); }

    std::size_t marks() const {
        std::size_t count = 0;
        const auto file =
            perf::DataFile::open(path_, [&](const perf::DataFile&, const perf::DataRecord& record) {
                if (record.type == perf::record_finished_round) ++count;
            });
        EXPECT_TRUE(file);
        return count;
    }
    void pass(std::size_t reader) {
        store_->pass_begins(reader);
        store_->pass_ends(reader);
    }

    std::string path_ = scratch::file("ringside_rounds.data");
    std::optional<Store> store_;
};

TEST_F(Rounds, EndWhenEveryReaderHasPassed) {
    store_->add(two_samples_and_a_loss());
    pass(0);
    pass(0);
    EXPECT_EQ(marks(), 0u);
    pass(1);
    EXPECT_EQ(marks(), 1u);
    pass(0);
    pass(1);
    EXPECT_EQ(marks(), 1u) << "nothing was written in between";
}

// It began before the mark: what it read may be older than what another wrote before the mark.
TEST_F(Rounds, APassUnderWayAtTheMarkDoesNotCount) {
    store_->add(two_samples_and_a_loss());
    store_->pass_begins(0);
    store_->pass_ends(0);
    store_->pass_begins(0);
    pass(1);
    EXPECT_EQ(marks(), 1u);
    store_->add(two_samples_and_a_loss());
    store_->pass_ends(0);
    pass(1);
    EXPECT_EQ(marks(), 1u);
    pass(0);
    EXPECT_EQ(marks(), 2u);
}

// Whole CPUs are sampled for one process: it stays, with what it starts.
TEST_F(Rounds, SamplesOfOtherProcessesAreLeftOut) {
    store_->keep_only({7});
    base::ByteWriter out;
    perf::SampleRecord sample;
    for (const std::uint32_t pid : {7u, 8u, 9u}) {
        sample.stamp = {pid, pid, 100, 0, 1};
        perf::encode_sample(out, sample);
    }
    out.u32(PERF_RECORD_FORK).u16(0).u16(32).u32(8).u32(7).u32(8).u32(7).u64(1);
    sample.stamp = {8, 8, 200, 0, 1};
    perf::encode_sample(out, sample);
    const auto all = out.bytes();
    store_->take(RingBuffer::Unread{all.first(50), all.subspan(50)});
    EXPECT_EQ(store_->tally().samples, 2u) << "7, and 8 once it was forked";
    EXPECT_EQ(store_->tally().last_sample_ns, 200u);
}

}  // namespace
}  // namespace ringside::record
