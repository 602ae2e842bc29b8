#include "perf/sample_stream.h"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "events/parse.h"
#include "perf/records.h"

namespace ringside::perf {
namespace {

TEST(SampleStream, DeliversSamplesOfTheThreadsThatAreThere) {
    const auto event = events::parse_event(base::SysRoot(), "cpu-clock:u").value();
    OpenOptions options;
    options.disabled = false;
    options.sample_period = 100'000;
    options.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    const std::array targets{Target{0x3ffffffe, -1}, Target{::gettid(), -1}};
    auto streams = open_sample_streams(event, targets, options, 8);
    if (!streams && state_of(streams.error()) == CounterState::not_permitted) {
        GTEST_SKIP() << streams.error().what;
    }
    ASSERT_TRUE(streams) << streams.error().what;
    ASSERT_EQ(streams->size(), 1u);
    SampleStream& stream = streams->front();
    for (int samples = 0; samples < 5;) {  // busy until the timer has come five times
        while (const auto record = stream.ring.next()) {
            const auto sample = decode_sample(*record, stream.event.attributes().sample_type);
            if (!sample) continue;
            EXPECT_EQ(sample->tid, static_cast<std::uint32_t>(::gettid()));
            ++samples;
        }
    }
}

TEST(SampleStream, NobodyLeftIsAnError) {
    const auto event = events::parse_event(base::SysRoot(), "cpu-clock:u").value();
    const std::array gone{Target{0x3ffffffe, -1}};
    OpenOptions options;
    options.sample_period = 100'000;
    const auto streams = open_sample_streams(event, gone, options, 1);
    ASSERT_FALSE(streams);
    if (state_of(streams.error()) == CounterState::not_permitted) GTEST_SKIP();
    EXPECT_EQ(streams.error().sys_errno, ESRCH);
    EXPECT_FALSE(open_sample_streams(event, {}, options, 1));
}

}  // namespace
}  // namespace ringside::perf
