#include "record/clock_facts.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "../../scratch.h"
#include "base/text.h"

namespace ringside::record {
namespace {

TEST(ClockReading, GoesForwardWithTheClock) {
    const auto first = clock_reading();
    const auto second = clock_reading();
    EXPECT_EQ(first.name, "clock_reading");
    const auto before = base::split_words(first.value);
    const auto after = base::split_words(second.value);
    ASSERT_EQ(before.size(), 4u);
    ASSERT_EQ(after.size(), 4u);
    EXPECT_LT(*base::parse_u64(before[0]), *base::parse_u64(after[0]));
    EXPECT_LT(*base::parse_u64(before[1]), *base::parse_u64(after[1]));
}

TEST(GuestCounters, ReadsWhatKvmAddsInEachVcpu) {
    namespace fs = std::filesystem;
    const fs::path tree = scratch::file("kvm_debugfs");
    const auto write = [&](const std::string& path, const std::string& text) {
        const fs::path file = tree / "sys/kernel/debug/kvm" / path;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    };
    write("exits", "17\n");
    write("42-11/vcpu0/tsc-offset", "-4000\n");
    write("42-11/vcpu1/tsc-offset", "-4010\n");
    write("42-11/vcpu1/tsc-scaling-ratio", "4294967296\n");
    write("42-11/vcpu1/tsc-scaling-ratio-frac-bits", "32\n");
    write("43-11/vcpu0/guest_mode", "0\n");
    GuestCounters counters;
    counters.look(base::SysRoot(tree));
    fs::remove_all(tree);
    counters.look(base::SysRoot(tree));  // a guest that has ended is still known
    const perf::Context expected{{"kvm_tsc", "42 0 -4000 1 0"},
                                 {"kvm_tsc", "42 1 -4010 4294967296 32"}};
    EXPECT_EQ(counters.items(), expected);
}

}  // namespace
}  // namespace ringside::record
