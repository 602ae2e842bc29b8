#include "model/unit.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace ringside::model {
namespace {

TEST(Unit, ClocksAndTimesOffTheCpuCountNanoseconds) {
    for (const char* name :
         {"cpu-clock", "task-clock:u", "cpu-clock:pppH", "stolen", "off-cpu:sleeping"}) {
        EXPECT_TRUE(counts_ns(name)) << name;
    }
    for (const char* name : {"", "cycles", "cpu-clock-ish", "stolen-goods", "sched:off-cpu"}) {
        EXPECT_FALSE(counts_ns(name)) << name;
    }
    EXPECT_TRUE(counts_ns({PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, 0}));
    EXPECT_FALSE(counts_ns({PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0}));
    EXPECT_FALSE(counts_ns({PERF_TYPE_HARDWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0}));
}

}  // namespace
}  // namespace ringside::model
