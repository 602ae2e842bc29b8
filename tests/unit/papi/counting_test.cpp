// Sets of software events count on every machine.
#include <array>
#include <csignal>
#include <thread>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_fixture.h"

namespace ringside::papi {

namespace {

using Counting = PapiTest;

constexpr long long ms = 1'000'000;

// What the task clock shows at least of CPU time that was spent: at each switch it stops a little
// before the thread's clock does.
constexpr long long most_of(long long ns) {
    return ns / 10 * 9;
}

TEST_F(Counting, CountsFromTheStartAndKeepsValuesAfterTheStop) {
    int set = set_with("perf::TASK-CLOCK", "perf::PAGE-FAULTS");
    std::array<long long, 2> first{};
    std::array<long long, 2> second{};
    std::array<long long, 2> stopped{};
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(5);
    ASSERT_EQ(PAPI_read(set, first.data()), PAPI_OK);
    spin_ms(5);
    ASSERT_EQ(PAPI_read(set, second.data()), PAPI_OK);
    ASSERT_EQ(PAPI_stop(set, stopped.data()), PAPI_OK);
    EXPECT_GE(first[0], most_of(5 * ms));
    EXPECT_GE(second[0], first[0] + most_of(5 * ms));
    EXPECT_GE(stopped[0], second[0]);
    std::array<long long, 2> kept{};
    spin_ms(2);
    ASSERT_EQ(PAPI_read(set, kept.data()), PAPI_OK);
    EXPECT_EQ(kept, stopped);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    ASSERT_EQ(PAPI_read(set, kept.data()), PAPI_OK);
    EXPECT_LT(kept[0], stopped[0]) << "a new start counts from 0";
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Counting, CountsEveryPageFault) {
    int set = set_with("perf::PAGE-FAULTS");
    constexpr std::size_t pages = 64;
    const auto page_bytes = static_cast<std::size_t>(getpagesize());
    void* memory = mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
    long long faults = 0;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    for (std::size_t i = 0; i < pages; ++i) {
        *(static_cast<volatile char*>(memory) + i * page_bytes) = 1;
    }
    ASSERT_EQ(PAPI_stop(set, &faults), PAPI_OK);
    EXPECT_GE(faults, static_cast<long long>(pages));
    munmap(memory, pages * page_bytes);
}

TEST_F(Counting, AccumulatesAndResets) {
    int set = set_with("perf::TASK-CLOCK");
    long long sum = 1000;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(3);
    ASSERT_EQ(PAPI_accum(set, &sum), PAPI_OK);
    EXPECT_GE(sum, most_of(3 * ms) + 1000);
    long long now = 0;
    ASSERT_EQ(PAPI_reset(set), PAPI_OK);
    ASSERT_EQ(PAPI_read(set, &now), PAPI_OK);
    EXPECT_LT(now, sum);
    long long cycles = 0;
    ASSERT_EQ(PAPI_read_ts(set, &now, &cycles), PAPI_OK);
    EXPECT_GT(cycles, 0);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    ASSERT_EQ(PAPI_reset(set), PAPI_OK);
    ASSERT_EQ(PAPI_read(set, &now), PAPI_OK);
    EXPECT_EQ(now, 0);
}

TEST_F(Counting, RemovingAnEventLeavesTheOthersInOrder) {
    int set = set_with("perf::PAGE-FAULTS", "perf::TASK-CLOCK", "perf::MINOR-FAULTS");
    ASSERT_EQ(PAPI_remove_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
    std::array<int, 4> codes{};
    int number = 4;
    ASSERT_EQ(PAPI_list_events(set, codes.data(), &number), PAPI_OK);
    ASSERT_EQ(number, 2);
    EXPECT_EQ(codes[0], code_of_event("perf::TASK-CLOCK"));
    std::array<long long, 2> values{};
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(2);
    ASSERT_EQ(PAPI_stop(set, values.data()), PAPI_OK);
    EXPECT_GE(values[0], most_of(2 * ms));
}

TEST_F(Counting, AnAttachedSetCountsTheOtherThreadAndNotOurs) {
    std::array<int, 2> go{};
    ASSERT_EQ(pipe(go.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte = 0;
        close(go[1]);  // so that the parent's closing is the end
        if (read(go[0], &byte, 1) == 1) spin_ms(100);
        _exit(read(go[0], &byte, 1) < 0 ? 1 : 0);
    }
    int set = set_with("perf::TASK-CLOCK");
    ASSERT_EQ(PAPI_attach(set, static_cast<unsigned long>(child)), PAPI_OK);
    int state = 0;
    ASSERT_EQ(PAPI_state(set, &state), PAPI_OK);
    EXPECT_EQ(state, PAPI_STOPPED | PAPI_ATTACHED);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(200);  // of our own, which must not count
    ASSERT_EQ(write(go[1], "x", 1), 1);
    long long value = 0;
    while (value < 20 * ms) ASSERT_EQ(PAPI_read(set, &value), PAPI_OK);
    ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
    EXPECT_LT(value, 150 * ms);
    ASSERT_EQ(PAPI_detach(set), PAPI_OK);
    close(go[1]);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(PAPI_attach(set, static_cast<unsigned long>(child)), PAPI_EINVAL) << "it is gone";
}

TEST_F(Counting, AnInheritedSetCountsThreadsMadeLater) {
    int set = set_with("perf::TASK-CLOCK");
    PAPI_option_t option{};
    option.inherit = {set, PAPI_INHERIT_ALL};
    ASSERT_EQ(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_OK);
    long long value = 0;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    std::thread([] { spin_ms(30); }).join();
    ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
    EXPECT_GE(value, most_of(30 * ms));
}

TEST_F(Counting, AMultiplexedSetOfSoftwareEventsCounts) {
    int set = PAPI_NULL;
    ASSERT_EQ(PAPI_multiplex_init(), PAPI_OK);
    ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    EXPECT_EQ(PAPI_set_multiplex(set), PAPI_ENOCMP);
    ASSERT_EQ(PAPI_assign_eventset_component(set, 0), PAPI_OK);
    ASSERT_EQ(PAPI_set_multiplex(set), PAPI_OK);
    EXPECT_EQ(PAPI_get_multiplex(set), 1);
    ASSERT_EQ(PAPI_add_named_event(set, "perf::TASK-CLOCK"), PAPI_OK);
    ASSERT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
    std::array<long long, 2> values{};
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(3);
    ASSERT_EQ(PAPI_stop(set, values.data()), PAPI_OK);
    EXPECT_GE(values[0], most_of(3 * ms));
}

TEST_F(Counting, ASetOnACpuCountsWhateverRunsThere) {
    int set = set_with("perf::CPU-CLOCK");
    PAPI_option_t option{};
    option.cpu = {set, 0};
    const int attached = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
    if (attached == PAPI_EPERM) GTEST_SKIP() << "counting a CPU is not permitted here";
    ASSERT_EQ(attached, PAPI_OK);
    long long value = 0;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(3);
    ASSERT_EQ(PAPI_stop(set, &value), PAPI_OK);
    EXPECT_GE(value, most_of(2 * ms)) << "CPU 0 went on, busy or not";
}

TEST_F(Counting, OneSetOfAComponentRunsInAThreadAtATime) {
    int one = set_with("perf::TASK-CLOCK");
    int other = set_with("perf::PAGE-FAULTS");
    ASSERT_EQ(PAPI_start(one), PAPI_OK);
    EXPECT_EQ(PAPI_start(other), PAPI_EISRUN);
    ASSERT_EQ(PAPI_stop(one, nullptr), PAPI_OK);
    EXPECT_EQ(PAPI_start(other), PAPI_OK);
    EXPECT_EQ(PAPI_stop(other, nullptr), PAPI_OK);
}

TEST_F(Counting, AForkedChildBeginsAnew) {
    int set = set_with("perf::TASK-CLOCK");
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    const pid_t child = fork();
    if (child == 0) {
        bool good = PAPI_library_init(PAPI_VER_CURRENT) == static_cast<int>(PAPI_VER_CURRENT);
        good = good && PAPI_read(set, nullptr) == PAPI_ENOEVST;
        int own = PAPI_NULL;
        good = good && PAPI_create_eventset(&own) == PAPI_OK;
        good = good && PAPI_add_named_event(own, "perf::TASK-CLOCK") == PAPI_OK;
        good = good && PAPI_start(own) == PAPI_OK && PAPI_stop(own, nullptr) == PAPI_OK;
        _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    // The parent's set goes on.
    long long before = 0;
    long long after = 0;
    ASSERT_EQ(PAPI_read(set, &before), PAPI_OK);
    spin_ms(2);
    EXPECT_EQ(PAPI_stop(set, &after), PAPI_OK);
    EXPECT_GT(after, before);
}

}  // namespace

}  // namespace ringside::papi
