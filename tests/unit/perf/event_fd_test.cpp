// Against the running kernel, with software events, which every machine has.
#include "perf/event_fd.h"

#include <cerrno>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sys_root.h"
#include "events/parse.h"
#include "perf/records.h"
#include "perf/ring_buffer.h"

namespace ringside::perf {
namespace {

model::Event named(const char* name) {
    return events::parse_event(base::SysRoot(), name).value();
}

#define OPEN_OR_SKIP(variable, ...)                                               \
    auto variable = EventFd::open(__VA_ARGS__);                                   \
    if (!variable && state_of(variable.error()) == CounterState::not_permitted) { \
        GTEST_SKIP() << variable.error().what;                                    \
    }                                                                             \
    ASSERT_TRUE(variable) << variable.error().what

void touch_pages(std::size_t pages) {
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const base::Mmap memory(::mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                            pages * page_bytes);
    ::madvise(memory.data(), memory.size_bytes(), MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) memory.data()[i * page_bytes] = std::byte{1};
}

// A second witness: the kernel's own accounting of this thread.
std::uint64_t faults_so_far() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

TEST(EventFd, CountsWhatHappenedWhileEnabled) {
    OPEN_OR_SKIP(event, named("page-faults:u"), Target{});
    touch_pages(1000);
    const auto before = faults_so_far();
    ASSERT_TRUE(event->enable());
    touch_pages(100);
    ASSERT_TRUE(event->disable());
    const auto after = faults_so_far();
    touch_pages(1000);
    const auto count = event->read();
    ASSERT_TRUE(count && count->has_value());
    EXPECT_GE((*count)->value, 100u);
    EXPECT_LE((*count)->value, after - before);
    EXPECT_EQ((*count)->enabled_ns, (*count)->running_ns);
    ASSERT_TRUE(event->reset());
    EXPECT_EQ(event->read().value()->value, 0u);
}

TEST(EventFd, AMissingEventIsAbsent) {
    model::Event none;
    none.name = "none";
    none.code = {PERF_TYPE_SOFTWARE, 0x7fff, 0, 0};
    const auto event = EventFd::open(none, Target{});
    ASSERT_FALSE(event);
    EXPECT_EQ(state_of(event.error()), CounterState::absent);
}

TEST(EventFd, AVanishedProcessIsNamedAsSuch) {
    const auto event = EventFd::open(named("task-clock"), Target{0x3ffffffe, -1});
    ASSERT_FALSE(event);
    if (state_of(event.error()) == CounterState::not_permitted) GTEST_SKIP() << event.error().what;
    EXPECT_EQ(event.error().sys_errno, ESRCH);
    EXPECT_NE(event.error().hint.find("gone"), std::string::npos);
}

TEST(RingBuffer, DeliversSwitchRecordsInOrder) {
    OpenOptions options;
    options.switch_records = true;
    options.disabled = false;
    options.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    OPEN_OR_SKIP(event, named("dummy:u"), Target{}, options);
    auto ring = RingBuffer::map(*event, 8);
    ASSERT_TRUE(ring) << ring.error().what;
    for (int i = 0; i < 5; ++i) ::usleep(1000);
    std::uint64_t last_ns = 0;
    int outs = 0;
    while (const auto record = ring->next()) {
        const auto change = decode_switch(*record, options.sample_type);
        if (!change) continue;
        EXPECT_GE(change->time_ns, last_ns);
        last_ns = change->time_ns;
        EXPECT_EQ(change->tid, static_cast<std::uint32_t>(::gettid()));
        outs += change->out ? 1 : 0;
    }
    EXPECT_GE(outs, 5);
}

// More records than the buffer holds: each drain crosses the end of the buffer sooner or later.
TEST(RingBuffer, SurvivesWrappingAround) {
    OpenOptions options;
    options.switch_records = true;
    options.disabled = false;
    options.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    OPEN_OR_SKIP(event, named("dummy:u"), Target{}, options);
    auto ring = RingBuffer::map(*event, 1);
    ASSERT_TRUE(ring) << ring.error().what;
    int switches = 0;
    for (int i = 0; i < 400; ++i) {
        ::usleep(1);
        while (const auto record = ring->next()) {
            switches += decode_switch(*record, options.sample_type) ? 1 : 0;
        }
    }
    EXPECT_GE(switches, 2 * 399);
}

}  // namespace
}  // namespace ringside::perf
