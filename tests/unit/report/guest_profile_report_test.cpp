#include "report/guest/guest_profile_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ringside::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

GuestProfileSummary made() {
    GuestProfileSummary summary;
    summary.file = "guest.data";
    summary.period = 100'003;
    summary.rate = {2.445, false};
    summary.instructions = 1'234'567;
    summary.devices = {{"rtl8139", "", 10, 20, 25, 2, 30'000, 1000},
                       {"ioapic", "", 3, 0, 0, 0, 0, 0}};
    summary.functions = {{"rtl8139", "cp_interrupt", 10, 20, 25, 2, 30'000, 1000}};
    return summary;
}

TEST(GuestProfileReport, PrintsItsUnitAndFactorWithTheTables) {
    const std::string text = guest_profile_text(made());
    EXPECT_THAT(text, HasSubstr("2.445 for each ns"));
    EXPECT_THAT(text, HasSubstr("assumed"));
    EXPECT_THAT(text, HasSubstr("1,234,567"));
    EXPECT_THAT(text, HasSubstr("30           25         2    1.00 us"));
    EXPECT_THAT(text, HasSubstr("rtl8139, cp_interrupt"));
    auto measured = made();
    measured.rate.measured = true;
    EXPECT_THAT(guest_profile_text(measured), HasSubstr("measured"));
    EXPECT_THAT(guest_profile_text(measured), Not(HasSubstr("assumed")));
}

TEST(GuestProfileReport, IsJson) {
    const auto json = nlohmann::json::parse(guest_profile_json(made()));
    EXPECT_EQ(json["schema"], "ringside.guest-profile/1");
    EXPECT_EQ(json["instructions_per_ns_measured"], false);
    EXPECT_EQ(json["devices"][0]["median_ns"], 1000);
    EXPECT_TRUE(json["devices"][1]["median_ns"].is_null()) << "none was timed";
    EXPECT_EQ(json["functions"][0]["function"], "cp_interrupt");
}

}  // namespace
}  // namespace ringside::report
