// Event sets on the running kernel, with software events, which every machine has.
#include "components/cpu/cpu.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <latch>
#include <thread>

#include <sys/wait.h>

#include "base/process.h"
#include "base/sys_root.h"
#include "live.h"
#include "session/session.h"

namespace ringside::components {
namespace {

using Names = std::vector<std::string_view>;

std::int64_t value_of(EventSet& set) {
    std::array<std::int64_t, 1> value{-1};
    EXPECT_TRUE(set.read(value));
    return value[0];
}

std::size_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(CpuComponent, CountsWhatHappenedBetweenStartAndStop) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "page-faults:u");
    touch_pages(500);
    const auto before = faults_so_far();
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    const auto after = faults_so_far();
    touch_pages(500);
    EXPECT_GE(value_of(set), 100);
    EXPECT_LE(value_of(set), after - before);
}

TEST(CpuComponent, EveryStartCountsFromZeroAndResetGoesBackThere) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"page-faults:u", "minor-faults:u", "task-clock:u"});
    std::array<std::int64_t, 3> values{};
    for (int round = 0; round < 3; ++round) {
        const auto before = faults_so_far();
        ASSERT_TRUE(set.start());
        touch_pages(100);
        ASSERT_TRUE(set.stop());
        ASSERT_TRUE(set.read(values));
        EXPECT_GE(values[0], 100);
        EXPECT_LE(values[0], faults_so_far() - before);
    }
    ASSERT_TRUE(set.reset());
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(values, (std::array<std::int64_t, 3>{}));
}

TEST(CpuComponent, ResetAndAccumulateGoOnCounting) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "page-faults:u");
    ASSERT_TRUE(set.start());
    touch_pages(300);
    const auto before = faults_so_far();
    ASSERT_TRUE(set.reset());
    touch_pages(100);
    std::array<std::int64_t, 1> sum{1000};
    ASSERT_TRUE(set.accumulate(sum));
    EXPECT_GE(sum[0], 1100);
    EXPECT_LE(sum[0], 1000 + faults_so_far() - before);
    touch_pages(100);
    ASSERT_TRUE(set.accumulate(sum));
    EXPECT_GE(sum[0], 1200);
    EXPECT_LE(sum[0], 1000 + faults_so_far() - before);
}

TEST(CpuComponent, ReadingsCarryTheirTimesAndState) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"task-clock:u", "page-faults:u"});
    ASSERT_TRUE(set.start());
    touch_pages(100);
    const auto readings = set.read();
    ASSERT_TRUE(readings);
    ASSERT_EQ(readings->size(), 2u);
    for (const auto& reading : *readings) {
        EXPECT_EQ(reading.state, CounterState::ok);
        EXPECT_GT(reading.value, 0);
        EXPECT_GT(reading.enabled_ns, 0u);
        EXPECT_EQ(reading.enabled_ns, reading.running_ns);
        EXPECT_EQ(reading.scale_error, 0);
    }
    EXPECT_EQ(set.explain(0), "");
}

TEST(CpuComponent, AnHonestZeroOfSoftwareIsOk) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, "major-faults:u");
    ASSERT_TRUE(set.start());
    EXPECT_EQ(set.read().value()[0].state, CounterState::ok);
}

TEST(CpuComponent, MultiplexedSoftwareSetsWork) {
    const auto session = Session::open();
    SetOptions options;
    options.multiplex = true;
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, Names{"task-clock:u", "page-faults:u"});
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    EXPECT_GE(set.read().value()[1].value, 100);
}

TEST(CpuComponent, DomainsAreForEventsThatNameNone) {
    const auto session = Session::open();
    SetOptions options;
    options.domains = {.user = false, .kernel = true, .hypervisor = false};
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, Names{"page-faults", "page-faults:u"});
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    std::array<std::int64_t, 2> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_LT(values[0], 50);
    EXPECT_GE(values[1], 100);
}

// A thread that faults when it is told to.
class Faulting {
  public:
    Faulting() : thread_([this] { run(); }) { ready_.wait(); }
    ~Faulting() {
        go_.count_down();
        thread_.join();
    }
    pid_t tid() const { return tid_; }
    void fault() {
        go_.count_down();
        done_.wait();
    }

  private:
    void run() {
        tid_ = ::gettid();
        ready_.count_down();
        go_.wait();
        touch_pages(200);
        done_.count_down();
    }
    std::atomic<pid_t> tid_{0};
    std::latch ready_{1};
    std::latch go_{1};
    std::latch done_{1};
    std::thread thread_;
};

TEST(CpuComponent, CountsAnotherThreadAndNotItsOwn) {
    const auto session = Session::open();
    auto other = std::make_unique<Faulting>();
    SetOptions options;
    options.target = Target::thread(other->tid());
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, "page-faults:u");
    ASSERT_TRUE(set.start());
    touch_pages(5000);
    other->fault();
    ASSERT_TRUE(set.stop());
    EXPECT_GE(value_of(set), 200);
    EXPECT_LT(value_of(set), 5000);
}

TEST(CpuComponent, AProcessIsAllItsThreadsThoseYetToComeIncluded) {
    const auto session = Session::open();
    SetOptions options;
    options.target = Target::process(::getpid());
    const Faulting idle;
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, "page-faults:u");
    ASSERT_TRUE(set.start());
    Faulting other;
    other.fault();
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    EXPECT_GE(value_of(set), 300);
}

TEST(CpuComponent, InheritTakesInWhatTheThreadMakes) {
    const auto session = Session::open();
    SetOptions options;
    options.inherit = true;
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, Names{"page-faults:u", "task-clock:u"});
    std::array<std::int64_t, 2> counted{};
    for (auto& count : counted) {
        ASSERT_TRUE(set.start());
        std::thread([] { touch_pages(200); }).join();
        const pid_t child = ::fork();
        if (child == 0) {
            touch_pages(200);
            ::_exit(0);
        }
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        ASSERT_TRUE(set.stop());
        std::array<std::int64_t, 2> values{};
        ASSERT_TRUE(set.read(values));
        EXPECT_GE(values[0], 400);
        count = values[0];
    }
    EXPECT_LT(counted[1], 2 * counted[0]);  // it does not see the first round's children
}

TEST(CpuComponent, AHeldChildIsCountedFromItsExec) {
    base::SpawnOptions held;
    held.held = true;
    auto child = base::spawn({"true"}, held);
    ASSERT_TRUE(child);
    SetOptions options;
    options.target = Target::process(child->pid());
    options.inherit = true;
    options.start_on_exec = true;
    const auto session = Session::open();
    auto set = session.event_set(options);
    ADD_OR_SKIP(set, Names{"page-faults:u", "task-clock:u"});
    ASSERT_TRUE(set.start());
    std::array<std::int64_t, 2> values{};
    ASSERT_TRUE(set.read(values));
    EXPECT_EQ(values[0], 0);
    ASSERT_TRUE(child->release());
    ASSERT_TRUE(child->wait());
    // It is gone; what it counted is not.
    ASSERT_TRUE(set.read(values));
    EXPECT_GT(values[0], 0);
    EXPECT_GT(values[1], 0);
    EXPECT_TRUE(set.stop());
}

TEST(CpuComponent, TargetsThatAreNotThereAreNamed) {
    const auto session = Session::open();
    SetOptions options;
    for (const auto& target :
         {Target::process(0x3ffffffe), Target::thread(0x3ffffffe), Target::on_cpus({}),
          Target::on_cpus({100'000}), Target::in_cgroup("/no/such/cgroup")}) {
        options.target = target;
        auto set = session.event_set(options);
        const auto added = set.add("page-faults:u");
        EXPECT_FALSE(added);
        EXPECT_EQ(set.size(), 0u);
    }
}

TEST(CpuComponent, CpusAndTheSystemSeeEveryThread) {
    const auto session = Session::open();
    SetOptions options;
    options.target = Target::system();
    auto system = session.event_set(options);
    ADD_OR_SKIP(system, Names{"page-faults", "task-clock"});
    options.target = Target::on_cpus({0});
    auto first = session.event_set(options);
    ADD_OR_SKIP(first, "cpu-clock");
    ASSERT_TRUE(system.start());
    ASSERT_TRUE(first.start());
    Faulting other;
    other.fault();
    ASSERT_TRUE(first.stop());
    ASSERT_TRUE(system.stop());
    EXPECT_GE(system.read().value()[0].value, 200);
    EXPECT_GT(value_of(first), 0);
}

TEST(CpuComponent, TheRootCgroupHoldsEverybody) {
    const auto session = Session::open();
    SetOptions options;
    options.target = Target::in_cgroup("/");
    auto set = session.event_set(options);
    const auto added = set.add("page-faults");
    if (!added) GTEST_SKIP() << why(added);
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    EXPECT_GE(value_of(set), 100);
}

TEST(CpuComponent, HardwareEventsSayWhyTheyAreNotHere) {
    const auto session = Session::open();
    auto set = session.event_set();
    const auto added = set.add("cycles:u");
    if (added) GTEST_SKIP() << "this machine has a PMU";
    EXPECT_FALSE(added.error().hint.empty());
    EXPECT_EQ(set.size(), 0u);
    // What libpfm knows of this processor is no more there than what the kernel knows.
    EXPECT_FALSE(session.find("PAPI_TOT_INS"));
    EXPECT_FALSE(session.find("ix86arch::UNHALTED_CORE_CYCLES"));
    const auto components = session.components();
    ASSERT_EQ(components.front().name, "cpu");
    EXPECT_NE(components.front().reason.find("no hardware"), std::string::npos);
}

TEST(CpuComponent, SoftwareEventsHaveSeveralNames) {
    const auto session = Session::open();
    auto set = session.event_set();
    ADD_OR_SKIP(set, Names{"page-faults:u", "cpu:::faults:u"});
    if (session.find("perf::PERF_COUNT_SW_PAGE_FAULTS:u")) {
        ASSERT_TRUE(set.add("perf::PERF_COUNT_SW_PAGE_FAULTS:u"));
    }
    ASSERT_TRUE(set.start());
    touch_pages(100);
    ASSERT_TRUE(set.stop());
    std::vector<std::int64_t> values(set.size());
    ASSERT_TRUE(set.read(values));
    EXPECT_GE(values[0], 100);
    EXPECT_EQ(std::count(values.begin(), values.end(), values[0]),
              static_cast<std::ptrdiff_t>(values.size()));
}

TEST(CpuComponent, ListsEventsThatOpen) {
    const auto session = Session::open();
    {
        auto set = session.event_set();
        ADD_OR_SKIP(set, "page-faults:u");
    }
    const auto events = session.events("cpu");
    ASSERT_TRUE(events);
    const auto listed = [&](std::string_view name) {
        return std::any_of(events->begin(), events->end(),
                           [&](const EventInfo& event) { return event.name == name; });
    };
    EXPECT_TRUE(listed("task-clock"));
    EXPECT_EQ(listed("cycles"), session.find("cycles").has_value());
}

// Runs `body` in a child, whose limits and permissions may be changed for good.
template <typename Body>
int exit_code_of(Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit([&]() noexcept { return body(); }());  // never on to other tests
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(CpuComponent, OutOfFileDescriptorsIsAnErrorAndLeaksNone) {
    const auto session = Session::open();
    {
        auto set = session.event_set();
        ADD_OR_SKIP(set, "page-faults:u");
    }
    const int code = exit_code_of([&] {
        auto set = session.event_set();
        if (!set.add(Names{"page-faults:u", "task-clock:u"})) return 1;
        // What other tests left open has numbers between which some are free: those are taken
        // first.
        constexpr int above_all = 300;
        int lowest_free = ::dup(0);
        while (lowest_free < above_all) lowest_free = ::dup(0);
        const std::size_t before = open_files();
        const auto limit = static_cast<rlim_t>(lowest_free + 4);
        const rlimit few{limit, limit};
        ::setrlimit(RLIMIT_NOFILE, &few);
        const auto added = set.add(Names{"cpu-clock:u", "minor-faults:u", "major-faults:u"});
        if (added) return 2;
        if (added.error().hint.find("ulimit") == std::string::npos) return 3;
        if (open_files() != before || set.size() != 2) return 4;
        if (!set.start()) return 5;
        touch_pages(50);
        return set.read().value()[0].value >= 50 ? 0 : 6;
    });
    EXPECT_EQ(code, 0);
}

TEST(CpuComponent, SetsLeaveNothingOpen) {
    const auto session = Session::open();
    {
        auto set = session.event_set();
        ADD_OR_SKIP(set, "page-faults:u");
    }
    const std::size_t before = open_files();
    for (int i = 0; i < 10; ++i) {
        auto set = session.event_set();
        ASSERT_TRUE(set.add(Names{"page-faults:u", "task-clock:u"}));
        ASSERT_TRUE(set.on_overflow(0, 10, [](const Overflow&) {}));
        ASSERT_TRUE(set.remove("task-clock:u"));
        ASSERT_TRUE(set.start());
    }
    EXPECT_EQ(open_files(), before);
}

TEST(CpuComponent, TwoSessionsDoNotKnowOfEachOther) {
    auto one = Session::open();
    auto two = Session::open();
    ASSERT_TRUE(one.define_metrics("mine = page-faults:u * 2"));
    EXPECT_FALSE(two.find("mine"));
    auto first = one.event_set();
    auto second = two.event_set();
    ADD_OR_SKIP(first, "mine");
    ADD_OR_SKIP(second, "page-faults:u");
    ASSERT_TRUE(first.start());
    touch_pages(100);
    const auto before = faults_so_far();
    ASSERT_TRUE(second.start());
    ASSERT_TRUE(first.stop());
    touch_pages(50);
    ASSERT_TRUE(second.stop());
    EXPECT_GE(value_of(first), 200);
    EXPECT_GE(value_of(second), 50);
    EXPECT_LE(value_of(second), faults_so_far() - before);
}

// Not at once, because that many threads do not fit; the kernel gives their ids to others again.
TEST(CpuComponent, TenThousandThreadsStartAndStopSets) {
    const auto session = Session::open();
    {
        auto set = session.event_set();
        ADD_OR_SKIP(set, "page-faults:u");
    }
    constexpr int at_once = 50;
    constexpr int rounds = 200;
    std::atomic<int> good{0};
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < at_once; ++i) {
            threads.emplace_back([&session, &good] {
                auto set = session.event_set();
                std::array<std::int64_t, 1> value{};
                if (!set.add("page-faults:u") || !set.start()) return;
                touch_pages(3);
                if (!set.stop() || !set.read(value)) return;
                if (value[0] >= 3) ++good;
            });
        }
        for (auto& thread : threads) thread.join();
    }
    EXPECT_EQ(good, at_once * rounds);
}

}  // namespace
}  // namespace ringside::components
