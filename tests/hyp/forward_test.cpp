// A guest that reaches devices through the hypervisor sees what it would see itself, and pays for
// it as its PMU policy says.
#include <gmock/gmock.h>

#include "machine.h"

namespace ringside::hyp_test {
namespace {

using testing::Contains;

std::string windows(const std::string& work = "") {
    return "devices\nforward uart 0x09000000 0x1000\nforward clock 0x09010000 0x1000" + work +
           "\nforward more 0x09020000 0x1000\nforward nothing 0x0b000000 0x1000\n";
}

// It owns the serial port: its lines are nobody's on the console.
std::vector<std::string> lines_with(const Outcome& outcome, const std::string& start) {
    std::vector<std::string> found;
    for (const auto& line : outcome.lines) {
        if (line.starts_with(start)) found.push_back(line);
    }
    return found;
}

TEST(Forward, a_guest_sees_through_us_what_it_sees_itself) {
    REQUIRE_HYP();
    const Outcome itself = run_guests({{"forwarded", "devices\n"}}, "limit_ms 2000\n");
    const Outcome through = run_guests({{"forwarded", windows()}, {"hello"}}, "limit_ms 2000\n");
    const auto seen = lines_with(itself, "saw ");
    ASSERT_EQ(seen.size(), 15u) << itself.text();
    EXPECT_EQ(lines_with(through, "saw "), seen) << through.text();
    EXPECT_THAT(seen, Contains("saw word 0x31"));
    EXPECT_THAT(seen, Contains("saw signed byte in w 0xffffffb1"));
    EXPECT_THAT(seen, Contains("saw signed byte in x 0xffffffffffffffb1"));
    EXPECT_THAT(seen, Contains("saw double 0x47464320554d4551"));
    EXPECT_EQ(itself.record("guest")["forwarded"], "0");
    EXPECT_EQ(itself.record("guest")["state"], "off") << itself.text();

    auto clock = through.record("window", {"name=clock"});
    EXPECT_EQ(clock["loads"], "20");
    EXPECT_EQ(clock["stores"], "2");
    EXPECT_EQ(through.record("window", {"name=nothing"})["stores"], "1");
    // The pair of registers is what no syndrome names.
    auto guest = through.record("guest", {"name=forwarded"});
    EXPECT_EQ(guest["state"], "stopped");
    EXPECT_EQ(guest["reason"], "undecoded");
    EXPECT_EQ(guest["address"], "0x9010fe0");
    EXPECT_EQ(through.record("guest", {"name=hello"})["state"], "off");
}

// In instructions, as the guest counts them.
constexpr std::uint64_t loads = 10;
std::uint64_t cost(const std::string& policy, const std::string& statements) {
    const Outcome outcome =
        run_guests({{"forwarded", "policy " + policy + "\n" + statements}}, "limit_ms 2000\n");
    const auto said = lines_with(outcome, "cost ");
    return said.size() == 1 ? std::stoull(said[0].substr(5)) : 0;
}

// What EL2 does is nobody's, and the instruction that it made for the guest is the guest's.
TEST(Forward, a_guest_counts_as_if_it_had_made_the_access_itself) {
    REQUIRE_HYP();
    for (const auto* policy :
         {"legacy", "cpu_switch", "mediated", "mediated\ndirect", "lazy_mediated", "shared_view"}) {
        const std::uint64_t own = cost(policy, "devices\n");
        EXPECT_GT(own, loads) << policy;
        EXPECT_EQ(cost(policy, windows(" work 1000")), own) << policy;
    }
}

TEST(Forward, under_domain_switch_it_counts_what_was_done_for_it) {
    REQUIRE_HYP();
    const std::uint64_t own = cost("domain_switch", "devices\n");
    const std::uint64_t forwarded = cost("domain_switch", windows());
    EXPECT_GT(forwarded, own + loads * 100);
    const std::uint64_t more = cost("domain_switch", windows(" work 1000"));
    EXPECT_GT(more, forwarded + loads * 900);
    EXPECT_EQ(cost("domain_switch", windows(" work 2000")), more + loads * 1000);
}

}  // namespace
}  // namespace ringside::hyp_test
