// Overflow and profiles of software events, by interrupt and by timer.
#include <array>
#include <atomic>
#include <vector>

#include "../../thread_sanitizer.h"
#include "library_fixture.h"
#include "papi/profile.h"

namespace ringside::papi {

namespace {

std::atomic<int> overflows{0};
std::atomic<long long> last_vector{0};
std::atomic<int> last_set{PAPI_NULL};
std::atomic<void*> last_address{nullptr};

void note_overflow(int set, void* address, long long vector, void* context) {
    ++overflows;
    last_set = set;
    last_vector = vector;
    last_address = address;
    EXPECT_NE(context, nullptr);
}

using Sampling = PapiTest;

TEST_F(Sampling, AHandlerIsCalledEachTimeTheCounterHasCountedOn) {
    int set = set_with("perf::PAGE-FAULTS", "perf::TASK-CLOCK");
    const int clock = code_of_event("perf::TASK-CLOCK");
    overflows = 0;
    ASSERT_EQ(PAPI_overflow(set, clock, 1'000'000, 0, note_overflow), PAPI_OK);
    int state = 0;
    ASSERT_EQ(PAPI_state(set, &state), PAPI_OK);
    EXPECT_EQ(state, PAPI_STOPPED | PAPI_OVERFLOWING);
    std::array<long long, 2> values{};
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    while (overflows < 3) spin_ms(1);
    ASSERT_EQ(PAPI_stop(set, values.data()), PAPI_OK);
    EXPECT_GE(values[1], 3'000'000);
    EXPECT_EQ(last_set, set);
    EXPECT_NE(last_address, nullptr);
    int index = PAPI_NULL;
    int number = 1;
    ASSERT_EQ(PAPI_get_overflow_event_index(set, last_vector, &index, &number), PAPI_OK);
    EXPECT_EQ(number, 1);
    EXPECT_EQ(index, 1) << "the clock is the second event";
    ASSERT_EQ(PAPI_overflow(set, clock, 0, 0, note_overflow), PAPI_OK);
    overflows = 0;
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(5);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    EXPECT_EQ(overflows, 0) << "switched off";
}

TEST_F(Sampling, ATimerLooksWhereAskedTo) {
    int set = set_with("perf::TASK-CLOCK");
    const int clock = code_of_event("perf::TASK-CLOCK");
    overflows = 0;
    ASSERT_EQ(PAPI_overflow(set, clock, 1'000'000, PAPI_OVERFLOW_FORCE_SW, note_overflow), PAPI_OK);
    EXPECT_EQ(PAPI_overflow(set, clock, 1'000'000, 0, note_overflow), PAPI_ECNFLCT);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    while (overflows < 2) spin_ms(5);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    EXPECT_EQ(last_vector, 1);
}

// Once it waited for itself.
TEST_F(Sampling, AHandlerMayEndWhatCallsIt) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::no_memory_in_handlers;
    static int watched;
    static std::atomic<int> ended;
    static int clock;
    clock = code_of_event("perf::TASK-CLOCK");
    const auto end_it = [](int set, void*, long long, void*) {
        EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
        EXPECT_EQ(PAPI_overflow(set, clock, 0, 0, note_overflow), PAPI_OK);
        ++ended;
    };
    for (int i = 1; i <= 20; ++i) {
        watched = set_with("perf::TASK-CLOCK");
        ended = 0;
        ASSERT_EQ(PAPI_overflow(watched, clock, 1'000'000, 0, end_it), PAPI_OK);
        ASSERT_EQ(PAPI_start(watched), PAPI_OK);
        while (ended == 0) spin_ms(1);
        EXPECT_EQ(ended, 1);
        ASSERT_EQ(PAPI_cleanup_eventset(watched), PAPI_OK);
        ASSERT_EQ(PAPI_destroy_eventset(&watched), PAPI_OK);
    }
}

TEST_F(Sampling, AHandlerMayDestroyItsSet) {
    if (sanitizer::thread) GTEST_SKIP() << sanitizer::no_memory_in_handlers;
    static std::atomic<int> ended;
    ended = 0;
    const int clock = code_of_event("perf::TASK-CLOCK");
    const auto destroy_it = [](int set, void*, long long, void*) {
        EXPECT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
        EXPECT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
        EXPECT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
        ++ended;
    };
    for (int i = 1; i <= 20; ++i) {
        const int set = set_with("perf::TASK-CLOCK", "perf::PAGE-FAULTS");
        ASSERT_EQ(PAPI_overflow(set, clock, 1'000'000, 0, destroy_it), PAPI_OK);
        ASSERT_EQ(PAPI_start(set), PAPI_OK);
        while (ended < i) spin_ms(1);
        EXPECT_EQ(PAPI_start(set), PAPI_ENOEVST);
    }
}

// A timer's signal that was held back while its set was destroyed and another took its place.
TEST_F(Sampling, ALateSignalIsNotTheNextSets) {
    PAPI_option_t option{};
    ASSERT_EQ(PAPI_get_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
    sigset_t timer;
    sigset_t before;
    sigset_t pending;
    ::sigemptyset(&timer);
    ::sigaddset(&timer, option.itimer.itimer_sig);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &timer, &before), 0);
    const int clock = code_of_event("perf::TASK-CLOCK");
    int set = set_with("perf::TASK-CLOCK");
    overflows = 0;
    ASSERT_EQ(PAPI_overflow(set, clock, 1, PAPI_OVERFLOW_FORCE_SW, note_overflow), PAPI_OK);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    do {
        spin_ms(1);
        ::sigpending(&pending);
    } while (::sigismember(&pending, option.itimer.itimer_sig) == 0);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    ASSERT_EQ(PAPI_cleanup_eventset(set), PAPI_OK);
    const int old = set;
    ASSERT_EQ(PAPI_destroy_eventset(&set), PAPI_OK);
    // Its first signal would come after its own interval, which does not pass here.
    option.itimer.ns = 1'000'000'000;
    ASSERT_EQ(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option), PAPI_OK);
    set = set_with("perf::TASK-CLOCK");
    EXPECT_EQ(set, old) << "the same place";
    ASSERT_EQ(PAPI_overflow(set, clock, 1, PAPI_OVERFLOW_FORCE_SW, note_overflow), PAPI_OK);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
    EXPECT_EQ(overflows, 0);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
}

TEST_F(Sampling, WhatIsWatchedStaysWatchedWhenTheSetChanges) {
    int set = set_with("perf::TASK-CLOCK");
    const int clock = code_of_event("perf::TASK-CLOCK");
    overflows = 0;
    ASSERT_EQ(PAPI_overflow(set, clock, 1'000'000, 0, note_overflow), PAPI_OK);
    ASSERT_EQ(PAPI_add_named_event(set, "perf::PAGE-FAULTS"), PAPI_OK);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    while (overflows < 2) spin_ms(1);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    ASSERT_EQ(PAPI_remove_event(set, clock), PAPI_OK);
    int state = 0;
    ASSERT_EQ(PAPI_state(set, &state), PAPI_OK);
    EXPECT_EQ(state, PAPI_STOPPED);
}

TEST_F(Sampling, AProfileShowsWhereTheTimeWent) {
    int set = set_with("perf::TASK-CLOCK");
    const int clock = code_of_event("perf::TASK-CLOCK");
    const PAPI_exe_info_t* program = PAPI_get_executable_info();
    ASSERT_NE(program, nullptr);
    auto* start = static_cast<char*>(program->address_info.text_start);
    const auto size =
        static_cast<std::size_t>(static_cast<char*>(program->address_info.text_end) - start);
    std::vector<std::uint32_t> buckets(size / 2 + 1);
    unsigned everywhere_else = 0;
    std::array<PAPI_sprofil_t, 2> regions = {{
        {buckets.data(), static_cast<unsigned>(buckets.size() * 4), start, 65536},
        {&everywhere_else, sizeof everywhere_else, nullptr, 2},
    }};
    ASSERT_EQ(PAPI_sprofil(regions.data(), 2, set, clock, 500'000, PAPI_PROFIL_BUCKET_32), PAPI_OK);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    for (int i = 0; i < 20; ++i) spin_ms(1);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    ASSERT_EQ(PAPI_sprofil(nullptr, 0, set, clock, 0, 0), PAPI_OK);
    unsigned long long samples = everywhere_else;
    for (const auto bucket : buckets) samples += bucket;
    EXPECT_GT(samples, 5u);
}

TEST_F(Sampling, ProfilTakesOneHistogramAndRefusesOddOnes) {
    int set = set_with("perf::TASK-CLOCK");
    const int clock = code_of_event("perf::TASK-CLOCK");
    std::array<std::uint16_t, 8> buckets{};
    const auto profil = [&](unsigned scale, int flags) {
        return PAPI_profil(buckets.data(), sizeof buckets, nullptr, scale, set, clock, 100'000,
                           flags);
    };
    EXPECT_EQ(profil(0, PAPI_PROFIL_POSIX), PAPI_EINVAL);
    EXPECT_EQ(profil(100'000, PAPI_PROFIL_POSIX), PAPI_EINVAL);
    EXPECT_EQ(profil(65536, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32), PAPI_EINVAL);
    EXPECT_EQ(profil(65536, 0x8000), PAPI_EINVAL);
    ASSERT_EQ(profil(2, PAPI_PROFIL_POSIX), PAPI_OK);
    ASSERT_EQ(PAPI_start(set), PAPI_OK);
    spin_ms(5);
    ASSERT_EQ(PAPI_stop(set, nullptr), PAPI_OK);
    EXPECT_GT(buckets[0], 0) << "scale 2 at offset 0 puts everything into the first bucket";
    EXPECT_EQ(PAPI_profil(buckets.data(), sizeof buckets, nullptr, 2, set, clock, 0, 0), PAPI_OK);
}

struct Histogram {
    std::array<std::uint64_t, 8> buckets{};
    PAPI_sprofil_t region{};
    Histogram(std::uintptr_t start, unsigned scale, unsigned size_bytes) {
        region = {buckets.data(), size_bytes, reinterpret_cast<void*>(start), scale};
    }
    void add(std::uintptr_t pc, int flags, std::int64_t excess = 0) {
        tally({&region, 1}, pc, flags, excess, 1000);
    }
};

TEST(PapiProfile, ScalesAddressesAsProfilDoes) {
    Histogram two_bytes(0x1000, 65536, 64);
    two_bytes.add(0x1000, PAPI_PROFIL_BUCKET_64);
    two_bytes.add(0x1003, PAPI_PROFIL_BUCKET_64);
    two_bytes.add(0x1010, PAPI_PROFIL_BUCKET_64);  // past the end
    two_bytes.add(0x0fff, PAPI_PROFIL_BUCKET_64);  // before the beginning
    EXPECT_EQ(two_bytes.buckets, (std::array<std::uint64_t, 8>{1, 1, 0, 0, 0, 0, 0, 0}));
    Histogram one_byte(0x1000, 131072, 64);
    one_byte.add(0x1003, PAPI_PROFIL_BUCKET_64);
    EXPECT_EQ(one_byte.buckets[3], 1u);
    Histogram four_bytes(0x1000, 32768, 64);
    four_bytes.add(0x100b, PAPI_PROFIL_BUCKET_64);
    EXPECT_EQ(four_bytes.buckets[2], 1u);
    Histogram far(1, 131072, 64);
    far.add(UINTPTR_MAX, PAPI_PROFIL_BUCKET_64);  // must not wrap into a bucket
    EXPECT_EQ(far.buckets, (std::array<std::uint64_t, 8>{}));
}

TEST(PapiProfile, SmallBucketsStayInTheirWidth) {
    Histogram sixteen(0x1000, 65536, 4);
    sixteen.add(0x1000, PAPI_PROFIL_BUCKET_16);
    sixteen.add(0x1002, PAPI_PROFIL_BUCKET_16);
    sixteen.add(0x1004, PAPI_PROFIL_BUCKET_16);  // the third of two
    EXPECT_EQ(sixteen.buckets[0], 0x00010001u);
    Histogram wide(0x1000, 65536, 8);
    wide.add(0x1002, PAPI_PROFIL_BUCKET_32);
    EXPECT_EQ(wide.buckets[0], std::uint64_t{1} << 32);
}

TEST(PapiProfile, WeightsSamplesByHowLateTheyWere) {
    Histogram histogram(0x1000, 65536, 64);
    histogram.add(0x1000, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED, 1);
    histogram.add(0x1002, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED, 500);
    histogram.add(0x1004, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED, 5000);
    EXPECT_EQ(histogram.buckets[0], 1u);
    EXPECT_EQ(histogram.buckets[1], 127u);
    EXPECT_EQ(histogram.buckets[2], 255u);
}

TEST(PapiProfile, DropsAQuarterAtRandom) {
    Histogram histogram(0x1000, 65536, 64);
    for (int i = 0; i < 10'000; ++i) {
        histogram.add(0x1000, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_RANDOM);
    }
    EXPECT_GT(histogram.buckets[0], 7'000u);
    EXPECT_LT(histogram.buckets[0], 8'000u);
}

}  // namespace

}  // namespace ringside::papi
