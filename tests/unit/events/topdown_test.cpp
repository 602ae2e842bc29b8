// Top-down metrics of processors that are not here: their tables are whole, their codes are those
// that libpfm4 knows under the manuals' names, and numbers put in come out as shares.
#include <functional>
#include <map>

#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/sys_root.h"
#include "events/metrics.h"
#include "events/native.h"
#include "events/parse.h"

namespace ringside::events {
namespace {

using Values = std::map<std::string, double, std::less<>>;

const int inactive_here_too = ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);

class Core {
  public:
    explicit Core(const std::string& name) {
        for (auto& each : metric_definitions({name})) definitions_.emplace(each.name, each);
    }

    // By its definitions, down to events, whose values are given.
    double evaluate(const std::string& name, const Values& events) const {
        const auto found = definitions_.find(name);
        if (found == definitions_.end() || events.contains(name)) return events.at(name);
        std::vector<double> values;
        for (const auto& each : found->second.expression.names()) {
            values.push_back(evaluate(each, events));
        }
        return found->second.expression.evaluate(values);
    }

    const std::map<std::string, Definition>& definitions() const { return definitions_; }

  private:
    std::map<std::string, Definition> definitions_;
};

TEST(TopDown, Skylake) {
    const Core core("skylake");
    const Values events = {{"cycles", 1000},
                           {"r019c", 800},  // of 4000 slots
                           {"r010e", 2200},
                           {"r02c2", 2000},
                           {"r010d", 50}};
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.frontend_bound", events), 0.2);
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.retiring", events), 0.5);
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.bad_speculation", events), 0.1);
    EXPECT_NEAR(core.evaluate("topdown.backend_bound", events), 0.2, 1e-12);
}

TEST(TopDown, Icelake) {
    const Core core("icelake");
    const Values events = {{"r01a4", 5000}, {"r02a4", 1000}, {"r019c", 500}, {"r02c2", 3000}};
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.retiring", events), 0.6);
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.backend_bound", events), 0.2);
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.frontend_bound", events), 0.1);
    EXPECT_NEAR(core.evaluate("topdown.bad_speculation", events), 0.1, 1e-12);
}

TEST(TopDown, GoldenCove) {
    const Core core("golden-cove");
    const Values events = {{"r01a4", 6000}, {"r02a4", 1200}, {"r04a4", 600}, {"r02c2", 3000}};
    EXPECT_DOUBLE_EQ(core.evaluate("topdown.bad_speculation", events), 0.1);
    EXPECT_NEAR(core.evaluate("topdown.frontend_bound", events), 0.2, 1e-12);
}

TEST(TopDown, ZenFourAndFive) {
    const Values events = {{"r0076", 100},     {"r1000001a0", 60}, {"r100001ea0", 120},
                           {"r1000060a0", 60}, {"r07aa", 360},     {"r00c1", 300}};
    const Core four("zen4");
    EXPECT_DOUBLE_EQ(four.evaluate("topdown.frontend_bound", events), 0.1);
    EXPECT_DOUBLE_EQ(four.evaluate("topdown.backend_bound", events), 0.2);
    EXPECT_DOUBLE_EQ(four.evaluate("topdown.smt_contention", events), 0.1);
    EXPECT_DOUBLE_EQ(four.evaluate("topdown.bad_speculation", events), 0.1);
    EXPECT_DOUBLE_EQ(four.evaluate("topdown.retiring", events), 0.5);
    EXPECT_DOUBLE_EQ(Core("zen5").evaluate("topdown.retiring", events), 0.375);
}

TEST(TopDown, NeoverseWithSlots) {
    const Values events = {
        {"cpu_cycles", 1000},         {"stall_slot", 2000}, {"stall_slot_frontend", 500},
        {"stall_slot_backend", 1500}, {"op_spec", 3000},    {"op_retired", 2700}};
    const Core n2("neoverse-n2");
    EXPECT_DOUBLE_EQ(n2.evaluate("topdown.frontend_bound", events), 0.1);
    EXPECT_DOUBLE_EQ(n2.evaluate("topdown.backend_bound", events), 0.3);
    EXPECT_NEAR(n2.evaluate("topdown.retiring", events), 0.54, 1e-12);
    EXPECT_NEAR(n2.evaluate("topdown.bad_speculation", events), 0.06, 1e-12);
    EXPECT_DOUBLE_EQ(Core("neoverse-v1").evaluate("topdown.backend_bound", events), 0.1875);
}

TEST(TopDown, NeoverseWithout) {
    const Values events = {{"cpu_cycles", 1000}, {"stall_frontend", 100}, {"stall_backend", 400}};
    EXPECT_DOUBLE_EQ(Core("neoverse-n1").evaluate("topdown.backend_bound", events), 0.4);
}

// The cores that have a name have metrics, and each metric comes down to events that can be asked
// for.
TEST(TopDown, EveryCoreOfTheTable) {
    auto rows = base::parse_csv(*base::embedded_file("platform/cores.csv"));
    ASSERT_GT(rows.size(), 1u);
    const base::SysRoot machine(RINGSIDE_FIXTURES "/events");
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const Core core(rows[i].at(3));
        EXPECT_TRUE(core.definitions().contains("topdown.backend_bound")) << rows[i][3];
        for (const auto& [name, definition] : core.definitions()) {
            for (const auto& event : definition.expression.names()) {
                if (core.definitions().contains(event) || event == seconds_name) continue;
#if !defined(__aarch64__)
                if (rows[i][3].starts_with("neoverse")) continue;  // names of another architecture
#endif
                EXPECT_TRUE(parse_event(machine, event)) << name << " of " << rows[i][3];
            }
        }
    }
}

// A helper's description is the manual's name for its code. TOPDOWN.BACKEND_BOUND_SLOTS and
// BAD_SPEC_SLOTS are missing: libpfm4 4.13 has no event code for them.
TEST(TopDown, CodesAreThoseOfTheManuals) {
    if (!native_event("perf::PERF_COUNT_SW_PAGE_FAULTS", true)) GTEST_SKIP() << "no libpfm4 here";
    struct Case {
        const char* native;
        const char* raw;
    };
    const base::SysRoot machine(RINGSIDE_FIXTURES "/events");
    for (const auto& [native, raw] : {
             Case{"skl::IDQ_UOPS_NOT_DELIVERED:CORE", "r019c"},
             Case{"skl::UOPS_ISSUED:ANY", "r010e"},
             Case{"skl::UOPS_RETIRED:RETIRE_SLOTS", "r02c2"},
             Case{"skl::INT_MISC:RECOVERY_CYCLES", "r010d"},
             Case{"icl::TOPDOWN:SLOTS_P", "r01a4"},
             Case{"icl::IDQ_UOPS_NOT_DELIVERED:CORE", "r019c"},
             Case{"icl::UOPS_RETIRED:SLOTS", "r02c2"},
             Case{"spr::TOPDOWN:SLOTS_P", "r01a4"},
             Case{"spr::UOPS_RETIRED:SLOTS", "r02c2"},
             Case{"amd64_fam19h_zen4::CYCLES_NOT_IN_HALT", "r0076"},
             Case{"amd64_fam19h_zen4::RETIRED_OPS", "r00c1"},
         }) {
        const auto known = native_event(native, true);
        ASSERT_TRUE(known) << native << ": " << known.error().what;
        const auto ours = parse_event(machine, raw);
        ASSERT_TRUE(ours);
        constexpr std::uint64_t event_and_umask = 0xf'0000'ffff;
        EXPECT_EQ(known->code.config & event_and_umask, ours->code.config) << native;
    }
}

}  // namespace
}  // namespace ringside::events
