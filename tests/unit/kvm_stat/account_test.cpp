#include "kvm_stat/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kvm_stat/time_order.h"

namespace ringside::kvm_stat {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

constexpr ExitReason io{ReasonTable::svm, 0x7b};
constexpr ExitReason msr{ReasonTable::svm, 0x7c};
constexpr std::uint32_t vmm = 100;

Passage entry(std::uint64_t time_ns, std::uint32_t tid = 101, std::uint32_t pid = vmm) {
    Passage passage;
    passage.time_ns = time_ns;
    passage.pid = pid;
    passage.tid = tid;
    passage.vcpu = tid - pid - 1;
    return passage;
}

Passage exit(std::uint64_t time_ns, ExitReason reason = io, std::uint32_t tid = 101,
             std::uint32_t pid = vmm) {
    Passage passage = entry(time_ns, tid, pid);
    passage.direction = Direction::exit;
    passage.reason = reason;
    return passage;
}

Account account_of(const std::vector<Passage>& passages) {
    Account account;
    for (const auto& passage : passages) account.take(passage);
    return account;
}

VcpuStats only_vcpu(const std::vector<Passage>& passages) {
    const auto stats = account_of(passages).stats();
    EXPECT_THAT(stats, SizeIs(1));
    return stats.at(0);
}

TEST(KvmAccount, AnExitTakesUntilTheNextEntry) {
    const auto vcpu =
        only_vcpu({entry(1000), exit(1500), entry(1520), exit(1600, msr), entry(1700)});
    ASSERT_THAT(vcpu.reasons, SizeIs(2));
    EXPECT_EQ(vcpu.reasons.at(io).count(), 1u);
    EXPECT_EQ(vcpu.reasons.at(io).total_ns(), 20u);
    EXPECT_EQ(vcpu.reasons.at(msr).total_ns(), 100u);
    EXPECT_EQ(vcpu.guest_ns, 500u + 80u);
    EXPECT_EQ(vcpu.vcpu, 0u);
    EXPECT_EQ(vcpu.unpaired.open_at_end, 0u);
}

TEST(KvmAccount, WhatBeganBeforeTheRecordingOrIsNotOverIsNotCounted) {
    const auto vcpu = only_vcpu({exit(10), entry(20), exit(30), entry(45), exit(50)});
    EXPECT_EQ(vcpu.reasons.at(io).count(), 1u);
    EXPECT_EQ(vcpu.reasons.at(io).total_ns(), 15u);
    EXPECT_EQ(vcpu.guest_ns, 10u + 5u);
    EXPECT_EQ(vcpu.unpaired.before_first_entry, 1u);
    EXPECT_EQ(vcpu.unpaired.open_at_end, 1u);
}

// A lost entry would make one long exit of two; a lost exit, one long stay in the guest of two.
TEST(KvmAccount, LostPassagesMakeNoLongOnes) {
    const auto lost_entry = only_vcpu({entry(0), exit(10, msr), exit(500), entry(510)});
    EXPECT_EQ(lost_entry.unpaired.exits_without_entry, 1u);
    EXPECT_FALSE(lost_entry.reasons.contains(msr));
    EXPECT_EQ(lost_entry.reasons.at(io).total_ns(), 10u);
    EXPECT_EQ(lost_entry.guest_ns, 10u);

    const auto lost_exit = only_vcpu({entry(0), entry(500), exit(510), entry(520)});
    EXPECT_EQ(lost_exit.unpaired.entries_without_exit, 1u);
    EXPECT_EQ(lost_exit.reasons.at(io).count(), 1u);
    EXPECT_EQ(lost_exit.guest_ns, 10u);
}

TEST(KvmAccount, TimeThatRunsBackwardsIsCountedAndLeftOut) {
    const auto vcpu = only_vcpu({entry(0), exit(100), entry(90), exit(120), entry(125)});
    EXPECT_EQ(vcpu.unpaired.out_of_order, 1u);
    EXPECT_EQ(vcpu.reasons.at(io).count(), 1u);
    EXPECT_EQ(vcpu.reasons.at(io).total_ns(), 5u);
}

TEST(KvmAccount, VcpusAndMachinesStayApart) {
    const auto stats = account_of({entry(0, 201, 200), entry(1, 101), entry(2, 102),
                                   exit(5, io, 102), exit(6, msr, 101), entry(8, 102),
                                   entry(16, 101), exit(20, io, 201, 200), entry(50, 201, 200)})
                           .stats();
    EXPECT_THAT(stats, ElementsAre(Field(&VcpuStats::tid, 101u), Field(&VcpuStats::tid, 102u),
                                   Field(&VcpuStats::tid, 201u)));
    EXPECT_EQ(stats[0].reasons.at(msr).total_ns(), 10u);
    EXPECT_EQ(stats[1].reasons.at(io).total_ns(), 3u);
    EXPECT_EQ(stats[2].reasons.at(io).total_ns(), 30u);
}

TEST(KvmAccount, AnOpenExitBelongsToTheIntervalInWhichItEnds) {
    Account account = account_of({entry(0), exit(10), entry(15), exit(20)});
    EXPECT_EQ(account.stats()[0].reasons.at(io).count(), 1u);
    EXPECT_EQ(account.stats()[0].unpaired.open_at_end, 1u);
    account.begin_interval();
    EXPECT_TRUE(account.stats()[0].reasons.empty());
    EXPECT_EQ(account.stats()[0].vcpu, 0u);
    account.take(entry(120));
    EXPECT_EQ(account.stats()[0].reasons.at(io).total_ns(), 100u);
    EXPECT_EQ(account.stats()[0].unpaired.open_at_end, 0u);
}

// The thread exits on one CPU and enters on another, whose buffer is read first.
TEST(KvmTimeOrder, AVcpuThatMovesBetweenCpusIsPutInOrder) {
    Account account;
    TimeOrder order([&](const Passage& passage) { account.take(passage); });
    order.add(entry(300));  // CPU 0
    order.add(exit(400));
    order.add(entry(100));  // CPU 1
    order.add(exit(200, msr));
    order.end_round();
    order.add(exit(600, msr));  // CPU 0
    order.add(entry(700));
    order.add(entry(500));  // CPU 1
    order.end_round();
    order.hand_on_all();
    const auto vcpu = account.stats().at(0);
    EXPECT_EQ(vcpu.reasons.at(msr).count(), 2u);
    EXPECT_EQ(vcpu.reasons.at(msr).total_ns(), 200u);
    EXPECT_EQ(vcpu.reasons.at(io).total_ns(), 100u);
    EXPECT_EQ(vcpu.guest_ns, 300u);
    EXPECT_EQ(vcpu.unpaired.out_of_order + vcpu.unpaired.exits_without_entry, 0u);
}

TEST(KvmTimeOrder, HandsOnWhatARoundMadeCertain) {
    std::vector<std::uint64_t> seen;
    TimeOrder order([&](const Passage& passage) { seen.push_back(passage.time_ns); });
    order.add(entry(10));
    order.add(entry(30));
    order.end_round();
    EXPECT_TRUE(seen.empty()) << "another buffer may still hold older ones";
    order.add(entry(20));
    order.add(entry(40));
    order.end_round();
    EXPECT_THAT(seen, ElementsAre(10, 20));
    order.hand_on_before(35);
    EXPECT_THAT(seen, ElementsAre(10, 20, 30));
    order.hand_on_all();
    EXPECT_THAT(seen, ElementsAre(10, 20, 30, 40));
}

}  // namespace
}  // namespace ringside::kvm_stat
