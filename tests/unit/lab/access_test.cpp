// The lab's guests touch registers as real ones do. The numbers are those of two papers' slides and
// of guests traced on a KVM host; nothing here is adjusted for one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/profiler.h"
#include "lab_run.h"

namespace ringside::lab {
namespace {

// S. Das, "Efficient Performance Profiling for Virtual Machines", 2026: kvm_msr and RDPMC exits.
TEST(Accesses, OfTheTopDownMetricsAreThoseOfThePaper) {
    const Exits legacy = played("top-down", "legacy").machines[0].exits;
    EXPECT_EQ(legacy.pmu_register, 63u);
    EXPECT_EQ(legacy.pmu_rdpmc, 11u);
    const Exits mediated = played("top-down", "mediated").machines[0].exits;
    EXPECT_EQ(mediated.pmu_register, 22u);
    EXPECT_EQ(mediated.pmu_rdpmc, 0u);
}

TEST(Accesses, OfTheDashboardAreThoseOfThePaper) {
    const Exits legacy = played("dashboard", "legacy").machines[0].exits;
    EXPECT_EQ(legacy.pmu_register, 26u);
    EXPECT_EQ(legacy.pmu_rdpmc, 23u);
    const Exits mediated = played("dashboard", "mediated").machines[0].exits;
    EXPECT_EQ(mediated.pmu_register, 6u);
    EXPECT_EQ(mediated.pmu_rdpmc, 0u);
}

TEST(Accesses, OfArmGuestsAreWithinFivePercentOfThoseMeasuredOnKvm) {
    const struct {
        const char* scenario;
        double measured;
    } cases[] = {{"arm-count-2", 48},
                 {"arm-count-4", 134},
                 {"arm-dashboard", 68},
                 {"arm-record", 1725},
                 {"arm-multiplex", 4069}};
    for (const auto& one : cases) {
        const auto guest = played(one.scenario).machines[0];
        EXPECT_NEAR(double(guest.exits.pmu_register), one.measured, 0.05 * one.measured)
            << one.scenario;
    }
    EXPECT_EQ(played("arm-record").machines[0].samples, 179u);
}

// The table's rows are the explanation; they must add up to the exits.
TEST(Accesses, AreExplainedByTheKernelsWork) {
    auto guest = played("top-down", "legacy").machines[0];
    using Kind = vpmu::RegisterKind;
    const auto exits = [&](KernelWork work, Kind kind, bool writes) {
        return guest.accesses.at(work, kind, writes).exits;
    };
    EXPECT_EQ(exits(KernelWork::switch_in, Kind::enable, true), 2u);
    EXPECT_EQ(exits(KernelWork::start, Kind::selector, true), 5u);
    EXPECT_EQ(exits(KernelWork::rotate, Kind::selector, true), 5u + 6);
    EXPECT_EQ(exits(KernelWork::rotate, Kind::status, false), 5u + 5);
    EXPECT_EQ(exits(KernelWork::rotate, Kind::counter_read, false), 5u);
    EXPECT_EQ(exits(KernelWork::end, Kind::counter_read, false), 6u);
    std::uint64_t all = 0;
    for (const auto& work : guest.accesses.counts) {
        for (const auto& kind : work) all += kind[0].exits + kind[1].exits;
    }
    EXPECT_EQ(all, guest.exits.pmu_register + guest.exits.pmu_rdpmc);
}

// Every access of a small guest, in order, as traced on KVM: a program opens two events, enables
// them one after the other, and disables them.
TEST(Accesses, AreInTheOrderTracedOnKvm) {
    class Recorder final : public PmuPort {
      public:
        std::uint64_t read(vpmu::Register which) override {
            say(which, 'R');
            return 0;
        }
        void write(vpmu::Register which, std::uint64_t) override { say(which, 'W'); }
        void configure(const vpmu::LogicalControl&) override {}
        std::uint64_t raw_counter(vpmu::Slot) override { return 0; }

        std::string seen;

      private:
        void say(vpmu::Register which, char direction) {
            const std::string name = register_name(vpmu::Architecture::arm64, which.kind);
            const bool cycles = which.slot == vpmu::arm_cycle_slot;
            const auto slash = name.find('/');
            seen += (slash == std::string::npos ? name
                     : cycles                   ? name.substr(slash + 1)
                                                : name.substr(0, slash)) +
                    direction + ' ';
        }
    };
    const std::string stop = "PMCRR PMCRW ";
    const std::string start = "PMUSERENRW PMCRR PMCRW ";
    const auto added = [](const std::string& counter, const std::string& type) {
        return counter + "W PMCNTENCLRW " + type + "W PMINTENSETW PMCNTENSETW ";
    };
    const auto removed = [](const std::string& counter) {
        return "PMCNTENCLRW PMINTENCLRW PMOVSCLRW " + counter + "R ";
    };
    const std::string cycles = added("PMCCNTR", "PMCCFILTR");
    const std::string instructions = added("PMEVCNTR", "PMEVTYPER");
    const std::string traced = stop + stop + cycles + start +                               //
                               stop + removed("PMCCNTR") + cycles + instructions + start +  //
                               stop + removed("PMCCNTR") + start +                          //
                               stop + removed("PMEVCNTR");
    const Scenario scenario = embedded_scenario("arm-count-2");
    const auto perf =
        make_perf(scenario.machines[0], encodings_of(vpmu::Architecture::arm64), read_costs());
    Recorder port;
    perf->start(port, 0, 0);
    perf->finish(port, 0, 2'000'000);
    EXPECT_EQ(port.seen, traced);
}

}  // namespace
}  // namespace ringside::lab
