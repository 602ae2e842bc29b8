// Budgets of this machine's threads, by each method it allows: identities and orderings that hold
// everywhere, whatever else runs.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ringside/time_budget.h>

#include "../../thread_sanitizer.h"
#include "accounting/taskstats.h"
#include "base/fd.h"
#include "base/process.h"

namespace ringside {
namespace {

constexpr std::uint64_t ms = 1'000'000;

void spin_for_ns(std::uint64_t duration_ns) {
    const std::uint64_t end = real_ns() + duration_ns;
    while (real_ns() < end) {
    }
}

std::int64_t sum_of(const TimeSplit& split) {
    std::int64_t sum = split.unexplained_ns;
    for (const auto* part : {&split.user, &split.kernel, &split.stolen, &split.waiting,
                             &split.blocked, &split.paging, &split.sleeping, &split.stopped}) {
        sum += static_cast<std::int64_t>(part->ns.value_or(0));
    }
    return sum;
}

std::uint64_t occupied_ns(const TimeSplit& split) {
    return split.user.ns.value_or(0) + split.kernel.ns.value_or(0) + split.stolen.ns.value_or(0);
}

// Not on a CPU and not waiting for one: asleep or blocked, or nobody can tell.
std::int64_t away_ns(const TimeSplit& split) {
    return static_cast<std::int64_t>(split.lifetime_ns) -
           static_cast<std::int64_t>(occupied_ns(split) + split.waiting.ns.value_or(0));
}

void expect_consistent(const TimeSplit& split) {
    EXPECT_EQ(sum_of(split), static_cast<std::int64_t>(split.lifetime_ns));
    EXPECT_GE(split.unexplained_ns, -static_cast<std::int64_t>(split.error_ns))
        << split.unexplained_reason;
    for (const auto* part : {&split.user, &split.kernel, &split.waiting, &split.blocked,
                             &split.paging, &split.sleeping, &split.stopped}) {
        EXPECT_EQ(part->ns.has_value(), !part->source.empty());
        EXPECT_TRUE(part->ns || !part->reason.empty());
    }
}

class EveryBudget : public testing::TestWithParam<BudgetMethod> {
  protected:
    void SetUp() override {
        BudgetOptions options;
        options.only = GetParam();
        budgets_.emplace(TimeBudgets::open(options));
        const auto probe = budgets_->thread();
        if (!probe) GTEST_SKIP() << probe.error().what;
    }
    bool traced() const { return GetParam() == BudgetMethod::bpf_sched_states; }
    TimeBudget own_thread() { return std::move(*budgets_->thread()); }
    std::optional<TimeBudgets> budgets_;
};

TEST_P(EveryBudget, AThreadsPartsSumUpToItsLifetime) {
    const std::uint64_t earliest = real_ns();
    const auto budget = own_thread();
    const std::uint64_t begun = real_ns();
    spin_for_ns(30 * ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::uint64_t ended = real_ns();
    const TimeSplit split = budget.read();
    const std::uint64_t latest = real_ns();
    expect_consistent(split);
    EXPECT_EQ(split.method, GetParam());
    EXPECT_EQ(split.threads, 1u);
    EXPECT_GE(split.lifetime_ns, ended - begun);
    EXPECT_LE(split.lifetime_ns, latest - earliest);
}

TEST_P(EveryBudget, WhoSpinsIsOnACpuOrWaitsForOne) {
    const auto budget = own_thread();
    spin_for_ns(50 * ms);
    const TimeSplit split = budget.read();
    expect_consistent(split);
    EXPECT_GT(occupied_ns(split), 0u);
    EXPECT_GT(static_cast<std::int64_t>(occupied_ns(split) + *split.waiting.ns), away_ns(split));
}

TEST_P(EveryBudget, SleepIsNeitherOccupiedNorWaiting) {
    const auto budget = own_thread();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const TimeSplit split = budget.read();
    expect_consistent(split);
    EXPECT_GE(away_ns(split), static_cast<std::int64_t>(99 * ms));
    // Its switch may be one that the kernel hides.
    const std::int64_t unseen_ns = std::max<std::int64_t>(split.unexplained_ns, 0);
    EXPECT_TRUE(!split.sleeping.ns ||
                *split.sleeping.ns + static_cast<std::uint64_t>(unseen_ns) >= 100 * ms);
}

// Two that spin on one CPU hold it in turns: together they are on it for no longer than it takes,
// and spend the rest waiting.
TEST_P(EveryBudget, TwoOnOneCpuWaitForEachOther) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    std::atomic<int> ready = 0;
    const auto spin = [&](TimeSplit& split) {
        ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
        const auto budget = budgets_->thread();
        ASSERT_TRUE(budget) << budget.error().what;
        ++ready;
        while (ready < 2) ::sched_yield();
        spin_for_ns(200 * ms);
        split = budget->read();
    };
    std::array<TimeSplit, 2> splits;
    const std::uint64_t before = real_ns();
    std::thread first(spin, std::ref(splits[0]));
    std::thread second(spin, std::ref(splits[1]));
    first.join();
    second.join();
    const std::uint64_t passed = real_ns() - before;
    for (const auto& split : splits) expect_consistent(split);
    const std::uint64_t error_ns = splits[0].error_ns + splits[1].error_ns + ms;
    EXPECT_LE(occupied_ns(splits[0]) + occupied_ns(splits[1]), passed + error_ns);
    const auto waited = static_cast<std::int64_t>(*splits[0].waiting.ns + *splits[1].waiting.ns);
    EXPECT_GT(waited, away_ns(splits[0]) + away_ns(splits[1]));
}

TEST_P(EveryBudget, AThousandShortThreadsAreAllCounted) {
    constexpr std::uint64_t count = 1000;
    const auto budget = budgets_->process();
    ASSERT_TRUE(budget) << budget.error().what;
    const TimeSplit before = budget->read();
    std::uint64_t lives_ns = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t begun = 0;
        std::uint64_t ended = 0;
        std::thread([&] {
            begun = real_ns();
            spin_for_ns(20'000);
            ended = real_ns();
        }).join();
        lives_ns += ended - begun;
        if (i % 200 == 0) budget->read();
    }
    const TimeSplit after = budget->read();
    expect_consistent(after);
    EXPECT_EQ(after.threads, before.threads + count);
    EXPECT_GE(after.lifetime_ns - before.lifetime_ns, 2 * lives_ns);  // we waited for each
}

TEST_P(EveryBudget, ACommandIsFollowedWithItsChildren) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::adds_threads;
    base::SpawnOptions held;
    held.held = true;
    auto child = base::spawn({"sh", "-c", "sleep 0.1 & sleep 0.1; wait; exit 0"}, held);
    ASSERT_TRUE(child) << child.error().what;
    const auto budget = budgets_->process(child->pid(), Follow::children);
    ASSERT_TRUE(budget) << budget.error().what;
    ASSERT_TRUE(child->release());
    ASSERT_TRUE(child->await_end());
    const TimeSplit split = budget->read();
    ASSERT_TRUE(child->wait());
    expect_consistent(split);
    EXPECT_EQ(split.threads, 3u);
    // Where last words can be had, or every change of state is seen, nobody's wait is in doubt.
    if (traced() || accounting::Taskstats::open()) {
        EXPECT_EQ(split.waiting.error_ns, 0u) << split.waiting.reason;
    }
    // Both sleeps; the shell's waiting for them comes on top.
    EXPECT_GE(away_ns(split) + static_cast<std::int64_t>(split.error_ns),
              static_cast<std::int64_t>(2 * 100 * ms));
    // Nobody is left whose time could grow.
    EXPECT_EQ(budget->read().lifetime_ns, split.lifetime_ns);
}

TEST_P(EveryBudget, ReadsOfADiskBlock) {
    std::string path = (std::filesystem::temp_directory_path() / "rs_budgetXXXXXX").string();
    const base::Fd file(::mkstemp(path.data()));
    ASSERT_TRUE(file);
    constexpr std::size_t size = 4 << 20;
    const std::vector<char> content(size, 'x');
    ASSERT_EQ(::write(file.get(), content.data(), size), static_cast<ssize_t>(size));
    ASSERT_EQ(::fsync(file.get()), 0);
    const base::Fd direct(::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
    ::unlink(path.c_str());
    if (!direct) GTEST_SKIP() << "no O_DIRECT on the file system of " << path;
    void* buffer = std::aligned_alloc(4096, 65536);
    const auto budget = own_thread();
    while (::read(direct.get(), buffer, 65536) > 0) {
    }
    const TimeSplit split = budget.read();
    std::free(buffer);
    expect_consistent(split);
    if (!split.blocked.ns) GTEST_SKIP() << split.blocked.reason;
    EXPECT_GT(*split.blocked.ns, 0u);
    EXPECT_GT(*split.blocked_on_io_ns, 0u);
}

TEST_P(EveryBudget, PageFaultsAreCounted) {
    constexpr std::size_t pages = 1000;
    const auto budget = own_thread();
    const std::size_t size = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < size; i += size / pages) static_cast<volatile char*>(memory)[i] = 1;
    ::munmap(memory, size);
    const TimeSplit split = budget.read();
    expect_consistent(split);
    ASSERT_TRUE(split.details.minor_faults);
    EXPECT_GE(*split.details.minor_faults, pages);
}

// A file that is not in memory is read by the fault, which blocks.
TEST_P(EveryBudget, MajorFaultsArePagingAndNotIoOfItsOwn) {
    if (!traced()) GTEST_SKIP() << "needs delay accounting, and swap";
    std::string path = (std::filesystem::temp_directory_path() / "rs_budgetXXXXXX").string();
    const base::Fd file(::mkstemp(path.data()));
    ASSERT_TRUE(file);
    ::unlink(path.c_str());
    constexpr std::size_t size = 4 << 20;
    const std::vector<char> content(size, 'x');
    ASSERT_EQ(::write(file.get(), content.data(), size), static_cast<ssize_t>(size));
    ASSERT_EQ(::fsync(file.get()), 0);
    ASSERT_EQ(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    ASSERT_NE(memory, MAP_FAILED);
    ::madvise(memory, size, MADV_RANDOM);  // no read-ahead: every fault its own
    const auto budget = own_thread();
    for (std::size_t i = 0; i < size; i += 65536) {
        [[maybe_unused]] const char byte = static_cast<volatile char*>(memory)[i];
    }
    ::sched_yield();  // what a fault had waited for is known when it next leaves the CPU
    const TimeSplit split = budget.read();
    ::munmap(memory, size);
    expect_consistent(split);
    if (split.details.major_faults.value_or(0) == 0) GTEST_SKIP() << "the file stayed in memory";
    EXPECT_GT(*split.paging.ns, 0u);
    EXPECT_GT(*split.paging.ns, *split.blocked.ns);
}

TEST_P(EveryBudget, NothingEverDecreases) {
    const auto budget = own_thread();
    TimeSplit last = budget.read();
    for (int i = 0; i < 300; ++i) {
        if (i % 10 == 0) ::sched_yield();
        const TimeSplit now = budget.read();
        ASSERT_GE(now.lifetime_ns, last.lifetime_ns);
        ASSERT_GE(*now.waiting.ns, *last.waiting.ns);
        ASSERT_EQ(sum_of(now), static_cast<std::int64_t>(now.lifetime_ns));
        last = now;
    }
}

TEST_P(EveryBudget, MayBeReadFromSeveralThreads) {
    const auto budget = budgets_->process();
    ASSERT_TRUE(budget);
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                const TimeSplit split = budget->read();
                ASSERT_EQ(sum_of(split), static_cast<std::int64_t>(split.lifetime_ns));
                const auto own = budgets_->thread();
                ASSERT_TRUE(own) << own.error().what;
            }
        });
    }
    for (auto& reader : readers) reader.join();
}

INSTANTIATE_TEST_SUITE_P(TimeBudgets, EveryBudget,
                         testing::Values(BudgetMethod::bpf_sched_states, BudgetMethod::kernel_sums),
                         [](const auto& way) { return std::string(to_string(way.param)); });

TEST(TimeBudgets, SaysWhatIsMissingWithoutBpf) {
    BudgetOptions options;
    options.allow_bpf = false;
    const auto budgets = TimeBudgets::open(options);
    const auto budget = budgets.thread();
    ASSERT_TRUE(budget) << budget.error().what;
    const TimeSplit split = budget->read();
    EXPECT_EQ(split.method, BudgetMethod::kernel_sums);
    EXPECT_THAT(split.unexplained_reason, testing::HasSubstr("BPF was ruled out"));
}

TEST(TimeBudgets, RefusesWhoDoesNotExist) {
    const auto budgets = TimeBudgets::open();
    EXPECT_EQ(budgets.thread(0x3fffffff).error().code, ErrorCode::not_found);
    EXPECT_EQ(budgets.process(0x3fffffff).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace ringside
