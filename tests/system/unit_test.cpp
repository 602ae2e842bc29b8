// The unit tests once more, on a machine with a PMU and another architecture.
#include <cstdio>
#include <regex>

#include <gmock/gmock.h>

#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

// What scripts/summary counts. GoogleTest prints "FILE:LINE: Skipped" and then the reason.
void tell_skips(const std::string& box, const std::string& output) {
    const auto lines = base::split_lines(output);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        if (!lines[i].ends_with(": Skipped")) continue;
        std::printf("SKIP in %s: %s\n", box.c_str(), std::string(lines[i + 1]).c_str());
    }
}

TEST(UnitTests, PassOnArm64WithAPmu) {
    REQUIRE_BOX("arm64");
    const std::string tree = RINGSIDE_SOURCE_DIR;
    const std::string program = tree + "/build/arm64/tests/unit_tests";
    if (!fs::exists(program)) GTEST_SKIP() << "no arm64 build: scripts/build arm64";
    std::vector<std::string> arguments{"run", "arm64-pmu", "--timeout",
                                       "800", "--put",     program + ":/usr/bin/unit_tests"};
    for (const auto* needed :
         {"/tests", "/src", "/include", "/docs", "/hyp", "/softpmu", "/driver", "/bench",
          "/examples", "/build/arm64/tests/libfake_guest_library.so"}) {
        arguments.insert(arguments.end(), {"--put", tree + needed + ":" + tree + needed});
    }
    arguments.insert(arguments.end(), {"--", "unit_tests", "--gtest_brief=1"});
    const BoxResult result = run_box(arguments);
    // ctest takes a test whose output has gtest's mark of a skip for skipped, even if it failed.
    const std::string shown = std::regex_replace(result.out, std::regex("Skipped|SKIPPED"), "skip");
    tell_skips("arm64-pmu", result.out);
    EXPECT_EQ(result.exit_code, 0) << shown << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("[  PASSED  ]"));
}

}  // namespace
}  // namespace ringside::system_test
