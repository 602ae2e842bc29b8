#include "perf/records.h"

#include <array>
#include <cstring>
#include <span>

#include <gtest/gtest.h>

#include "base/assert.h"

namespace ringside::perf {
namespace {

class Body {
  public:
    template <typename T>
    Body& add(T value) {
        RINGSIDE_ASSERT(sizeof value <= bytes_.size() - size_);
        std::memcpy(bytes_.data() + size_, &value, sizeof value);
        size_ += sizeof value;
        return *this;
    }
    RecordView as(std::uint32_t type, std::uint16_t misc = 0) const {
        return {type, misc, std::span(bytes_).first(size_)};
    }
    Body& cut(std::size_t count) {
        RINGSIDE_ASSERT(count <= size_);
        size_ -= count;
        return *this;
    }

  private:
    // Not a vector: GCC 12 sees an overflow at -O3 where one grows.
    std::array<std::byte, 256> bytes_{};
    std::size_t size_ = 0;
};

constexpr std::uint64_t all_fields =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

Body sample_body() {
    return Body()
        .add(std::uint64_t{0x1234})
        .add(std::uint32_t{10})
        .add(std::uint32_t{11})
        .add(std::uint64_t{99})
        .add(std::uint32_t{3})
        .add(std::uint32_t{0})
        .add(std::uint64_t{1000});
}

TEST(Records, ASampleIsReadInTheOrderOfTheHeader) {
    const auto body = sample_body();
    const auto sample =
        decode_sample(body.as(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL), all_fields);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->ip, 0x1234u);
    EXPECT_EQ(sample->pid, 10u);
    EXPECT_EQ(sample->tid, 11u);
    EXPECT_EQ(sample->time_ns, 99u);
    EXPECT_EQ(sample->cpu, 3u);
    EXPECT_EQ(sample->period, 1000u);
    EXPECT_TRUE(sample->in_kernel);
}

TEST(Records, ACutSampleIsRefused) {
    auto body = sample_body();
    EXPECT_FALSE(decode_sample(body.cut(1).as(PERF_RECORD_SAMPLE), all_fields));
}

TEST(Records, FieldsThatAreNotDecodedAreRefusedAndNotMisread) {
    const auto body = sample_body();
    EXPECT_FALSE(decode_sample(body.as(PERF_RECORD_SAMPLE), all_fields | PERF_SAMPLE_CALLCHAIN));
}

TEST(Records, ASwitchCarriesItsDirection) {
    const auto body = Body()
                          .add(std::uint32_t{1})
                          .add(std::uint32_t{2})
                          .add(std::uint64_t{77})
                          .add(std::uint32_t{5})
                          .add(std::uint32_t{0});
    const auto type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    const auto in = decode_switch(body.as(PERF_RECORD_SWITCH), type);
    ASSERT_TRUE(in);
    EXPECT_FALSE(in->out);
    EXPECT_EQ(in->tid, 2u);
    EXPECT_EQ(in->cpu, 5u);
    const auto out =
        decode_switch(body.as(PERF_RECORD_SWITCH,
                              PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT),
                      type);
    ASSERT_TRUE(out);
    EXPECT_TRUE(out->out);
    EXPECT_TRUE(out->preempted);
    EXPECT_FALSE(decode_switch(body.as(PERF_RECORD_SAMPLE), type));
}

TEST(Records, TasksBeginAndEnd) {
    const auto body = Body()
                          .add(std::uint32_t{10})
                          .add(std::uint32_t{1})
                          .add(std::uint32_t{12})
                          .add(std::uint32_t{11})
                          .add(std::uint64_t{99});
    const auto began = decode_task(body.as(PERF_RECORD_FORK));
    ASSERT_TRUE(began);
    EXPECT_FALSE(began->ended);
    EXPECT_EQ(began->pid, 10u);
    EXPECT_EQ(began->tid, 12u);
    EXPECT_EQ(began->parent_tid, 11u);
    EXPECT_EQ(began->time_ns, 99u);
    EXPECT_TRUE(decode_task(body.as(PERF_RECORD_EXIT))->ended);
    EXPECT_FALSE(decode_task(body.as(PERF_RECORD_SAMPLE)));
    EXPECT_FALSE(decode_task(Body(body).cut(1).as(PERF_RECORD_FORK)));
}

TEST(Records, LostRecordsAreCounted) {
    const auto body = Body().add(std::uint64_t{1}).add(std::uint64_t{42});
    EXPECT_EQ(decode_lost(body.as(PERF_RECORD_LOST)), 42u);
    EXPECT_FALSE(decode_lost(body.as(PERF_RECORD_SAMPLE)));
}

}  // namespace
}  // namespace ringside::perf
