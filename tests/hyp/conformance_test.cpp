// The conformance suite gives the same answers under every policy as on the bare machine, or better
// ones where the bare machine lacks an event or loses an interrupt.
#include <gmock/gmock.h>

#include "base/text.h"
#include "machine.h"

namespace ringside::hyp_test {
namespace {

// "ok", "absent", "lost", "over" or "FAILED", by the test's name.
std::map<std::string, std::string> verdicts(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> found;
    for (const auto& line : lines) {
        const auto words = base::split_words(line);
        if (words.size() == 3 && words[0] == "test") found.emplace(words[1], words[2]);
    }
    return found;
}

const std::map<std::string, std::string>& bare() {
    static const auto found = verdicts(run_bare("conformance").lines);
    return found;
}

struct Way {
    std::string name;
    std::string statements;
    bool is_direct = false;
    bool counts_vmm = false;
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}

class Conformance : public testing::TestWithParam<Way> {};

std::string expected(const Way& way, const std::string& test, const std::string& on_bare) {
    if (way.counts_vmm && test == "sampling") return "over";
    return way.is_direct ? on_bare : "ok";
}

TEST_P(Conformance, answers_as_the_bare_machine_or_better) {
    REQUIRE_HYP();
    ASSERT_EQ(bare().size(), 23u) << "the suite did not run on the bare machine";
    const Outcome outcome = run_guests({{"conformance", GetParam().statements}}, "limit_ms 2000\n");
    const auto found = verdicts(outcome.said("conformance"));
    ASSERT_EQ(found.size(), bare().size()) << outcome.text();
    for (const auto& [test, on_bare] : bare()) {
        EXPECT_EQ(found.at(test), expected(GetParam(), test, on_bare)) << test;
    }
    EXPECT_EQ(outcome.record("guest")["state"], "off") << outcome.text();
    EXPECT_EQ(outcome.record("end")["reason"], "done");
    EXPECT_EQ(outcome.record("guest")["form"], GetParam().is_direct ? "direct" : "trapped");
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Conformance,
    testing::Values(Way{"legacy", "policy legacy\n"}, Way{"cpu_switch", "policy cpu_switch\n"},
                    Way{"domain_switch", "policy domain_switch\n", false, true},
                    Way{"mediated_filtered", "policy mediated\n"},
                    Way{"mediated_direct", "policy mediated\ndirect\n", true},
                    Way{"lazy_mediated", "policy lazy_mediated\n"},
                    Way{"lazy_mediated_direct", "policy lazy_mediated\ndirect\n", true},
                    Way{"shared_view", "policy shared_view\nconsents\n"}),
    [](const auto& way) { return way.param.name; });

// A counter overflows while the guest stops the PMU, at any moment of what that costs: the
// interrupt waits until the PMU is on again, and nobody is interrupted for ever.
TEST_P(Conformance, a_pmu_that_is_off_interrupts_nobody) {
    REQUIRE_HYP();
    const Outcome outcome = run_guests({{"stopped", GetParam().statements}}, "limit_ms 2000\n");
    // Where EL2 counts, the PMU overflows in it.
    const std::string often = GetParam().counts_vmm ? "many" : "few";
    EXPECT_THAT(outcome.said("stopped"), testing::ElementsAre(often + " overflows, not told 0"))
        << outcome.text();
    EXPECT_LT(std::stoi(outcome.record("guest")["pmi"]), 200);
}

// The bare machine itself: what it does not do is what the erratum says, and no more.
TEST(ConformanceBare, lacks_only_what_is_known) {
    REQUIRE_HYP();
    for (const auto& [test, verdict] : bare()) {
        if (test == "event_interrupt" || test == "sampling") {
            EXPECT_EQ(verdict, "lost") << test;
        } else if (test == "chain" || test == "chain_overflow") {
            EXPECT_EQ(verdict, "absent");
        } else {
            EXPECT_EQ(verdict, "ok") << test;
        }
    }
}

// A filter is in force: the counter stands still, and traps are back even for a direct guest.
TEST(ConformanceFilter, a_denied_event_counts_nothing) {
    REQUIRE_HYP();
    const Outcome outcome =
        run_guests({{"conformance", "policy mediated\ndirect\ndeny 0x08\n"}}, "limit_ms 2000\n");
    const auto found = verdicts(outcome.said("conformance"));
    ASSERT_FALSE(found.empty()) << outcome.text();
    EXPECT_EQ(found.at("instructions"), "FAILED");
    EXPECT_EQ(found.at("cycles"), "ok");
    EXPECT_EQ(found.at("software_increment"), "ok");
    EXPECT_EQ(outcome.record("guest")["form"], "trapped");
}

}  // namespace
}  // namespace ringside::hyp_test
