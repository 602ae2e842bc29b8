#include "components/steal/steal.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ringside/clocks.h>

#include "../platform/temp_tree.h"
#include "readings.h"

namespace ringside::components {
namespace {

using platform::TempTree;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t tick_ns = 10'000'000;

// A KVM guest with steal in its third and eighth columns, as proc(5) has them.
class StealGuest {
  public:
    StealGuest() {
        tree_.put("/proc/cpuinfo", "flags : fpu hypervisor\n")
            .put("/sys/hypervisor/type", "kvm\n")
            .put("/sys/devices/system/cpu/online", "0-1\n");
        steal({1000, 2000});
    }
    // A CPU without a number is offline.
    void steal(const std::vector<std::optional<int>>& ticks) {
        std::string text = "cpu 1 1 1 1 1 1 1 99\n";
        for (std::size_t cpu = 0; cpu < ticks.size(); ++cpu) {
            if (!ticks[cpu]) continue;
            text += "cpu" + std::to_string(cpu) + " 1 1 1 1 1 1 1 " + std::to_string(*ticks[cpu]) +
                    "\n";
        }
        tree_.put("/proc/stat", text + "intr 5 5 5\nctxt 9\n");
    }
    session::ComponentPtr component() const { return steal::make(tree_.root()); }

  private:
    TempTree tree_;
};

TEST(StealComponent, ListsThreadProcessTotalAndTheCpusThatAreOnline) {
    const StealGuest guest;
    EXPECT_THAT(names(*guest.component()),
                ElementsAre("THREAD", "PROCESS", "TOTAL", "CPU0", "CPU1"));
}

TEST(StealComponent, CpusAndTheirSumCountFromTheStart) {
    StealGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"TOTAL", "CPU0", "CPU1"});
    ASSERT_TRUE(counters);
    guest.steal({1003, 2004});
    EXPECT_THAT(values(*counters, 3), ElementsAre(7 * tick_ns, 3 * tick_ns, 4 * tick_ns));
    EXPECT_THAT(counters->explain(1), HasSubstr("proc_stat, +- 20.000 ms"));
}

TEST(StealComponent, AStepBackAddsNothing) {
    StealGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"CPU0"});
    ASSERT_TRUE(counters);
    guest.steal({1010, 2000});
    EXPECT_THAT(values(*counters, 1), ElementsAre(10 * tick_ns));
    guest.steal({1004, 2000});
    EXPECT_THAT(values(*counters, 1), ElementsAre(10 * tick_ns));
    guest.steal({1005, 2000});
    EXPECT_THAT(values(*counters, 1), ElementsAre(11 * tick_ns));
}

TEST(StealComponent, ACpuMayGoOfflineAndComeBack) {
    StealGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"TOTAL", "CPU1"});
    ASSERT_TRUE(counters);
    guest.steal({1000, 2005});
    EXPECT_THAT(values(*counters, 2), ElementsAre(5 * tick_ns, 5 * tick_ns));
    guest.steal({1001, std::nullopt});
    EXPECT_THAT(values(*counters, 2), ElementsAre(6 * tick_ns, 5 * tick_ns));
    guest.steal({1001, 3});  // begins anew
    EXPECT_THAT(values(*counters, 2), ElementsAre(6 * tick_ns, 5 * tick_ns));
    guest.steal({1001, 4, 500});  // and a CPU that was never there before
    EXPECT_THAT(values(*counters, 2), ElementsAre(7 * tick_ns, 6 * tick_ns));
    guest.steal({1001, 4, 501});
    EXPECT_THAT(values(*counters, 2), ElementsAre(8 * tick_ns, 6 * tick_ns));
}

TEST(StealComponent, ATotalOfSomeCpusIsOfThose) {
    StealGuest guest;
    const auto component = guest.component();
    SetOptions options;
    options.target = Target::on_cpus({1});
    const auto counters = started(*component, {"TOTAL"}, options);
    ASSERT_TRUE(counters);
    guest.steal({1500, 2002});
    EXPECT_THAT(values(*counters, 1), ElementsAre(2 * tick_ns));
}

TEST(StealComponent, CpusThatAllGoOfflineKeepTheirSums) {
    StealGuest guest;
    const auto component = guest.component();
    const auto counters = started(*component, {"TOTAL"});
    ASSERT_TRUE(counters);
    guest.steal({});
    std::vector<Reading> readings(1);
    EXPECT_TRUE(counters->read(readings));  // all offline: what was known stays
    EXPECT_EQ(readings[0].value, 0);
}

TEST(StealComponent, FindsPapisNamesWithTheirPrefix) {
    const StealGuest guest;
    const auto component = guest.component();
    EXPECT_EQ(component->find("stealtime:::TOTAL")->name, "TOTAL");
    EXPECT_EQ(component->find("stealtime:::CPU1")->name, "CPU0");
    EXPECT_EQ(component->find("CPU1")->name, "CPU1");
    EXPECT_FALSE(component->find("stealtime:::CPU0"));
    EXPECT_FALSE(component->find("CPU2"));
    EXPECT_FALSE(component->find("CPU"));
    EXPECT_FALSE(component->find("CPU18446744073709551616"));
    EXPECT_FALSE(component->find(""));
}

TEST(StealComponent, RefusesTargetsItCannotTell) {
    const StealGuest guest;
    const auto component = guest.component();
    SetOptions cgroup;
    cgroup.target = Target::in_cgroup("/a");
    EXPECT_FALSE(open_named(*component, {"TOTAL"}, cgroup));
    SetOptions process;
    process.target = Target::process(::getpid());
    EXPECT_FALSE(open_named(*component, {"THREAD"}, process));
    SetOptions tree;
    tree.inherit = true;
    EXPECT_FALSE(open_named(*component, {"THREAD"}, tree));
}

TEST(StealComponent, SaysWhereNothingCanBeStolenOrNothingIsReported) {
    TempTree metal;
    metal.put("/proc/cpuinfo", "flags : fpu\n").put("/proc/stat", "cpu 1 1 1 1 1 1 1 0\n");
    const auto on_metal = steal::make(metal.root())->availability();
    EXPECT_TRUE(on_metal.usable);
    TempTree silent;
    silent.put("/proc/cpuinfo", "flags : fpu hypervisor\n")
        .put("/proc/stat", "cpu 1 1 1 1 1 1 1 0\n")
        .put("/proc/cmdline", "no-steal-acc\n");
    const auto in_silence = steal::make(silent.root());
    EXPECT_FALSE(in_silence->availability().usable);
    EXPECT_THAT(in_silence->availability().reason, HasSubstr("does not report steal"));
    EXPECT_TRUE(in_silence->events().empty());
}

void spin_for(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

// On the machine itself.
class LiveStealComponent : public testing::Test {
  protected:
    void SetUp() override {
        const auto can = component_->availability();
        if (!can.usable) GTEST_SKIP() << can.reason;
    }
    session::ComponentPtr component_ = steal::make({});
};

TEST_F(LiveStealComponent, AThreadsStealFitsIntoTheTimeThatPassed) {
    auto opened = open_named(*component_, {"THREAD", "PROCESS", "TOTAL"});
    if (!opened) GTEST_SKIP() << opened.error().what;
    const std::uint64_t begin_ns = real_ns();
    ASSERT_TRUE((*opened)->start());
    std::vector<std::int64_t> last(3);
    for (int i = 0; i < 100; ++i) {
        spin_for(std::chrono::milliseconds(1));
        const auto now = values(**opened, 3);
        for (std::size_t event = 0; event < 3; ++event) ASSERT_GE(now[event], last[event]);
        last = now;
    }
    const auto passed_ns = static_cast<std::int64_t>(real_ns() - begin_ns);
    EXPECT_LE(last[0], passed_ns);
    EXPECT_FALSE((*opened)->explain(0).empty());
}

TEST_F(LiveStealComponent, AnEndedThreadKeepsItsValue) {
    session::CountersPtr counters;
    std::thread([&] {
        counters = started(*component_, {"THREAD"});
        spin_for(std::chrono::milliseconds(5));
    }).join();
    if (!counters) return;
    const auto first = values(*counters, 1);
    EXPECT_EQ(values(*counters, 1), first);
}

TEST_F(LiveStealComponent, AnotherProcessCanBeMeasured) {
    SetOptions parent;
    parent.target = Target::process(::getppid());
    const auto counters = started(*component_, {"PROCESS"}, parent);
    ASSERT_TRUE(counters);
    EXPECT_GE(values(*counters, 1)[0], 0);
    SetOptions nobody;
    nobody.target = Target::process(0x3fffffff);
    EXPECT_FALSE(open_named(*component_, {"PROCESS"}, nobody));
}

TEST_F(LiveStealComponent, TwoSetsDoNotDisturbEachOther) {
    const auto one = started(*component_, {"TOTAL"});
    const auto other = started(*component_, {"TOTAL", "CPU0"});
    ASSERT_TRUE(one && other);
    spin_for(std::chrono::milliseconds(30));
    ASSERT_TRUE(other->reset());
    const auto later = values(*other, 2);
    EXPECT_GE(values(*one, 1)[0], later[0]);
    EXPECT_GE(later[0], later[1]);
}

}  // namespace
}  // namespace ringside::components
