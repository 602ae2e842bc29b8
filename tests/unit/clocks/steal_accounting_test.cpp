#include "clocks/steal_accounting.h"

#include <gtest/gtest.h>

namespace ringside::clocks {
namespace {

using Answer = StealAccounting::Answer;

bpf::KernelLayout layout(bool can_exclude) {
    bpf::KernelLayout kernel;
    kernel.can_exclude_steal = can_exclude;
    return kernel;
}

std::vector<bpf::CpuCounters> counters(std::uint64_t steal_ns, std::uint64_t subtracted_ns) {
    return {{0, bpf::StealSource::kvm, steal_ns, subtracted_ns}};
}

TEST(JudgeKernel, AKernelWithoutTheFieldIncludesSteal) {
    EXPECT_EQ(judge_kernel(layout(false), {}).answer, Answer::includes);
}

TEST(JudgeKernel, TheFieldAloneProvesNothing) {
    EXPECT_EQ(judge_kernel(layout(true), {}).answer, Answer::undetermined);
    EXPECT_EQ(judge_kernel(layout(true), counters(0, 0)).answer, Answer::undetermined);
    EXPECT_EQ(judge_kernel(std::nullopt, {}).answer, Answer::undetermined);
}

TEST(JudgeKernel, WhatTheSchedulerSubtractedDecides) {
    const auto excludes = judge_kernel(layout(true), counters(5'000'000'000, 4'900'000'000));
    EXPECT_EQ(excludes.answer, Answer::excludes);
    EXPECT_NE(excludes.evidence.find("4.900000 of 5.000000 s"), std::string::npos);
    // booted with no-steal-acc
    EXPECT_EQ(judge_kernel(layout(true), counters(5'000'000'000, 0)).answer, Answer::includes);
}

}  // namespace
}  // namespace ringside::clocks
