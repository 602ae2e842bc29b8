// Many threads at once: their sets, their data, the program's locks.
#include <atomic>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "library_fixture.h"

namespace ringside::papi {

namespace {

unsigned long own_id() {
    return static_cast<unsigned long>(::syscall(SYS_gettid));
}

using Threading = PapiTest;

int count_once() {
    int set = PAPI_NULL;
    long long value = -1;
    if (PAPI_create_eventset(&set) != PAPI_OK) return 1;
    if (PAPI_add_named_event(set, "perf::TASK-CLOCK") != PAPI_OK) return 2;
    if (PAPI_start(set) != PAPI_OK) return 3;
    if (PAPI_stop(set, &value) != PAPI_OK || value <= 0) return 4;
    if (PAPI_cleanup_eventset(set) != PAPI_OK) return 5;
    return PAPI_destroy_eventset(&set) == PAPI_OK ? 0 : 6;
}

TEST_F(Threading, TenThousandThreadsCountEachForItself) {
    constexpr int rounds = 625;
    constexpr int at_once = 16;
    ASSERT_EQ(PAPI_thread_init(own_id), PAPI_OK);
    std::atomic<int> failures{0};
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < at_once; ++i) {
            threads.emplace_back([&] { failures += count_once() != 0; });
        }
        for (auto& thread : threads) thread.join();
    }
    EXPECT_EQ(failures, 0);
    int known = 0;
    ASSERT_EQ(PAPI_list_threads(nullptr, &known), PAPI_OK);
    EXPECT_EQ(known, 1) << "threads that ended are forgotten";
    int set = PAPI_NULL;
    ASSERT_EQ(PAPI_create_eventset(&set), PAPI_OK);
    EXPECT_LT(set, at_once + 1) << "handles are used again";
}

TEST_F(Threading, ThreadsKeepTheirOwnData) {
    ASSERT_EQ(PAPI_thread_init(own_id), PAPI_OK);
    EXPECT_EQ(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED | PAPI_THREAD_LEVEL_INITED);
    EXPECT_EQ(PAPI_thread_id(), own_id());
    int mine = 1;
    ASSERT_EQ(PAPI_set_thr_specific(PAPI_USR1_TLS, &mine), PAPI_OK);
    std::atomic<bool> ready{false};
    std::atomic<bool> done{false};
    int other = 2;
    std::thread thread([&] {
        EXPECT_EQ(PAPI_register_thread(), PAPI_OK);
        EXPECT_EQ(PAPI_set_thr_specific(PAPI_USR1_TLS, &other), PAPI_OK);
        ready = true;
        ready.notify_one();
        done.wait(false);
        EXPECT_EQ(PAPI_unregister_thread(), PAPI_OK);
    });
    ready.wait(false);
    void* found = nullptr;
    ASSERT_EQ(PAPI_get_thr_specific(PAPI_USR1_TLS, &found), PAPI_OK);
    EXPECT_EQ(found, &mine);
    std::array<unsigned long, 4> ids{};
    std::array<void*, 4> data{};
    PAPI_all_thr_spec_t all{4, ids.data(), data.data()};
    ASSERT_EQ(PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS,
                                    reinterpret_cast<void**>(&all)),
              PAPI_OK);
    EXPECT_EQ(all.num, 2);
    EXPECT_EQ(ids[0], own_id());
    EXPECT_EQ(data[1], &other);
    done = true;
    done.notify_one();
    thread.join();
    int known = 4;
    ASSERT_EQ(PAPI_list_threads(ids.data(), &known), PAPI_OK);
    EXPECT_EQ(known, 1);
}

TEST_F(Threading, TheLocksExclude) {
    int counter = 0;
    const auto work = [&] {
        for (int i = 0; i < 10'000; ++i) {
            PAPI_lock(PAPI_USR1_LOCK);
            ++counter;
            PAPI_unlock(PAPI_USR1_LOCK);
        }
    };
    std::thread other(work);
    work();
    other.join();
    EXPECT_EQ(counter, 20'000);
}

TEST_F(Threading, VirtualTimeIsTheThreadsOwn) {
    const long long before = PAPI_get_virt_nsec();
    const long long real_before = PAPI_get_real_nsec();
    std::thread([] { spin_ms(20); }).join();
    EXPECT_LT(PAPI_get_virt_nsec() - before, 15'000'000) << "waiting costs no CPU time";
    EXPECT_GE(PAPI_get_real_nsec() - real_before, 20'000'000);
    const long long usec = PAPI_get_virt_usec();
    spin_ms(5);
    EXPECT_GE(PAPI_get_virt_usec(), usec);
    EXPECT_GT(PAPI_get_real_cyc(), 0);
    EXPECT_GE(PAPI_get_real_usec(), real_before / 1000);
}

}  // namespace

}  // namespace ringside::papi
