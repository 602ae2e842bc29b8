#include "softpmu/options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "abi/soft_counts.h"

namespace ringside::softpmu {
namespace {

std::string read(PluginOptions& options, std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    return options.read(pointers);
}

TEST(PluginOptions, ModesCountWhatTheyCost) {
    constexpr std::uint64_t with_branches =
        1u << SOFT_INSTRUCTIONS | 1u << SOFT_BRANCHES | 1u << SOFT_TAKEN_BRANCHES;
    PluginOptions count;
    EXPECT_EQ(read(count, {"folder=/x", "mode=count"}), "");
    EXPECT_EQ(count.counters(false), 1u << SOFT_INSTRUCTIONS);
    EXPECT_EQ(count.counters(true), 1u << SOFT_INSTRUCTIONS | 1u << SOFT_KERNEL_INSTRUCTIONS);
    EXPECT_EQ(read(count, {"branches=on"}), "");
    EXPECT_EQ(count.counters(false), with_branches);
    EXPECT_EQ(count.counters(true), with_branches | 1u << SOFT_KERNEL_INSTRUCTIONS);
    PluginOptions hot;
    EXPECT_EQ(read(hot, {"mode=hot", "folder=/x"}), "");
    EXPECT_EQ(hot.counters(true), 0u);
    PluginOptions full;
    EXPECT_EQ(read(full, {"folder=/x", "mode=full"}), "");
    EXPECT_EQ(full.counters(true), (1u << SOFT_COUNTERS) - 1);
    EXPECT_EQ(full.period, 0u);
    PluginOptions sample;
    EXPECT_EQ(read(sample, {"folder=/x", "period=500", "mode=sample"}), "");
    EXPECT_EQ(sample.period, 500u);
    EXPECT_EQ(read(sample, {"sampled=4", "start=off"}), "");
    EXPECT_EQ(sample.sampled, std::uint64_t{SOFT_LOADS});
    EXPECT_FALSE(sample.follows_branches());
    EXPECT_EQ(read(sample, {"sampled=3"}), "");
    EXPECT_TRUE(sample.follows_branches()) << "where they are not counted there are none to sample";
    PluginOptions lends;
    EXPECT_EQ(read(lends, {"folder=/x", "mode=count", "guest=5"}), "");
    EXPECT_TRUE(lends.follows_branches());
    EXPECT_TRUE(sample.starts_off);
}

TEST(PluginOptions, WhatIsWrongIsNamed) {
    for (const char* word : {"mode=fast", "period=0", "period=1x", "period=", "memory=maybe",
                             "sampled=12", "start=later", "folder=", "colour=red", "mode", ""}) {
        PluginOptions options;
        EXPECT_EQ(read(options, {"folder=/x", word}), "not an option: " + std::string(word));
    }
    PluginOptions options;
    EXPECT_EQ(read(options, {"mode=count"}), "folder=PATH is missing");
    EXPECT_EQ(read(options, {"folder=/x", "sampled=2"}), "sampled=N needs period=N");
}

TEST(PluginOptions, CanBePassedOn) {
    std::string folder = "folder=/a,b";
    std::vector<char*> words{folder.data()};
    EXPECT_EQ(plugin_argument("/x,y.so", words), "/x,,y.so,folder=/a,,b");
}

}  // namespace
}  // namespace ringside::softpmu
