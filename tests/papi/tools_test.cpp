// Debian's papi-tools were linked against Debian's libpapi.so.7.0. Here they run unchanged with the
// library of this build in its place.
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Tools : public testing::Test {
  protected:
    // Its output; the test is skipped where the tool is not installed.
    std::string run(std::vector<std::string> tool) {
        std::vector<std::string> argv = {"env", "LD_LIBRARY_PATH=" RINGSIDE_PAPI_LIBRARIES};
        argv.insert(argv.end(), tool.begin(), tool.end());
        const auto output = ringside::base::run(argv, std::chrono::minutes(2));
        EXPECT_TRUE(output.has_value());
        if (output->status.shell_code() == 127) {
            missing = true;
            return {};
        }
        EXPECT_EQ(output->status.shell_code(), 0) << tool[0] << "\n" << output->stderr_text;
        return output->stdout_text;
    }

    bool missing = false;
};

#define SKIP_IF_MISSING() \
    if (missing) GTEST_SKIP() << "papi-tools are not installed"

TEST_F(Tools, TheyUseOurLibrary) {
    const auto text = run({"ldd", "/usr/bin/papi_avail"});
    if (text.empty()) GTEST_SKIP() << "papi-tools are not installed";
    EXPECT_THAT(text, HasSubstr("libpapi.so.7.0 => " RINGSIDE_PAPI_LIBRARIES "/libpapi.so.7.0"));
}

TEST_F(Tools, AvailListsPresetsAndTheMachine) {
    const auto text = run({"papi_avail"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("PAPI version             : 7.0.0.0"));
    EXPECT_THAT(text, ContainsRegex("PAPI_TOT_CYC 0x8000003b +(Yes|No) +(Yes|No) +Cycles"));
    EXPECT_THAT(text, HasSubstr("Of 108 possible events"));
}

TEST_F(Tools, AvailDescribesOneEvent) {
    const auto text = run({"papi_avail", "-e", "perf::TASK-CLOCK"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("PERF_COUNT_SW_TASK_CLOCK"));
}

TEST_F(Tools, AvailsListIsWhatCanBeAdded) {
    const auto claimed = run({"papi_avail", "-a"});
    const auto tried = run({"papi_avail", "-a", "-c"});
    SKIP_IF_MISSING();
    const auto count = [](const std::string& text) {
        std::smatch match;
        return std::regex_search(text, match, std::regex("Of (\\d+) available events"))
                   ? match[1].str()
                   : "none";
    };
    EXPECT_EQ(count(claimed), count(tried));
}

TEST_F(Tools, NativeAvailListsSoftwareEvents) {
    const auto text = run({"papi_native_avail"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("Native Events in Component: perf_event"));
    EXPECT_THAT(text, HasSubstr("| perf::TASK-CLOCK"));
    EXPECT_THAT(text, HasSubstr("| perf::PAGE-FAULTS"));
}

TEST_F(Tools, ComponentAvailNamesTheComponents) {
    const auto text = run({"papi_component_avail"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, ContainsRegex("Active components:[^$]*Name:   perf_event"));
    EXPECT_THAT(text, HasSubstr("PMUs supported: perf, perf_raw"));
}

TEST_F(Tools, MemInfoShowsCaches) {
    const auto text = run({"papi_mem_info"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("Cache Information."));
}

TEST_F(Tools, HardwareAvailShowsTheCpu) {
    const auto text = run({"papi_hardware_avail"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("Status: Device Initialized"));
    EXPECT_THAT(text, ContainsRegex("Sockets +: [1-9]"));
}

TEST_F(Tools, ErrorCodesAreAllThere) {
    const auto text = run({"papi_error_codes"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("There are 28 error codes defined"));
}

TEST_F(Tools, ClockresMeasuresAllFourClocks) {
    const auto text = run({"papi_clockres"});
    SKIP_IF_MISSING();
    for (const char* clock : {"real_cyc", "real_usec", "virt_cyc", "virt_usec"}) {
        EXPECT_THAT(text, HasSubstr(std::string("PAPI_get_") + clock));
    }
}

TEST_F(Tools, DecodeWritesEveryPreset) {
    const auto text = run({"papi_decode"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("PAPI_REF_CYC,"));
}

TEST_F(Tools, XmlEventInfoIsWhole) {
    const auto text = run({"papi_xml_event_info"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("name=\"perf::TASK-CLOCK\""));
    EXPECT_THAT(text, HasSubstr("</eventinfo>"));
}

TEST_F(Tools, EventChooserTakesNativeEvents) {
    const auto text = run({"papi_event_chooser", "NATIVE", "perf::TASK-CLOCK"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("perf::PAGE-FAULTS"));
}

TEST_F(Tools, VersionIsDebians) {
    const auto text = run({"papi_version"});
    SKIP_IF_MISSING();
    EXPECT_THAT(text, HasSubstr("PAPI Version: 7.0.0"));
}

}  // namespace
