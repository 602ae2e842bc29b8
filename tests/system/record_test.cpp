// Recording by a counter of the hardware, which this needs a machine with a PMU for.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

namespace ringside::system_test {
namespace {

// Time in the box is counted in instructions, so that a loop has as many cycles every time.
TEST(Record, SamplesCyclesOfAPmu) {
    REQUIRE_BOX("arm64");
    if (const auto why = missing_arm64_build(); !why.empty()) GTEST_SKIP() << why;
    const BoxResult result =
        run_box({"run", "arm64-pmu", "--", "sh", "-c",
                 "ringside record --json -e cycles:u -c 1000000 -o /tmp/x.data -- "
                 "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' && "
                 "ringside report --json -i /tmp/x.data"});
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
    const auto second = result.out.find("\n{");
    ASSERT_NE(second, std::string::npos) << result.out;
    const auto summary = nlohmann::json::parse(result.out.substr(0, second), nullptr, false);
    const auto report = nlohmann::json::parse(result.out.substr(second), nullptr, false);
    ASSERT_FALSE(summary.is_discarded() || report.is_discarded()) << result.out;
    EXPECT_EQ(summary["notes"].size(), 0u) << "nothing stands in for cycles: " << summary["notes"];
    EXPECT_EQ(summary["events"][0]["name"], "cycles:u");
    EXPECT_GT(summary["samples"], 20);
    EXPECT_EQ(report["events"][0]["samples"], summary["samples"]);
    EXPECT_EQ(report["events"][0]["rows"][0]["mode"], "user");
}

}  // namespace
}  // namespace ringside::system_test
