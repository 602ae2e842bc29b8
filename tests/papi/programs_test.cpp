// Runs the C programs, and reads what the high-level interface wrote.
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "base/process.h"

namespace {

using ringside::base::CommandOutput;

CommandOutput run_program(const std::string& name, std::vector<std::string> environment = {}) {
    std::vector<std::string> argv = {"env"};
    argv.insert(argv.end(), environment.begin(), environment.end());
    argv.push_back(RINGSIDE_PAPI_PROGRAMS "/papi_" + name);
    auto output = ringside::base::run(argv);
    EXPECT_TRUE(output.has_value());
    EXPECT_EQ(output->status.shell_code(), 0) << output->stderr_text;
    return *output;
}

TEST(PapiPrograms, LayoutsAreTheAbis) {
    run_program("layouts");
}

TEST(PapiPrograms, AProgramCounts) {
    run_program("counts");
}

TEST(PapiPrograms, ForkWhileThreadsAreInside) {
    run_program("forks");
}

TEST(PapiPrograms, FortranCallsUnderAllFourNames) {
    run_program("fortran_names");
}

// As a plugin is: then the loader has little room left for thread-local variables.
TEST(PapiPrograms, TheLibraryIsLoadedByARunningProgram) {
    for (const char* name : {"/libpapi.so.7.0", "/libpapi.so.7.3"}) {
        void* library = ::dlopen((RINGSIDE_PAPI_LIBRARIES + std::string(name)).c_str(), RTLD_NOW);
        ASSERT_NE(library, nullptr) << ::dlerror();
        EXPECT_NE(::dlsym(library, "PAPI_library_init"), nullptr);
        ::dlclose(library);
    }
}

class Regions : public testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/ringside-papi-XXXXXX";
        ASSERT_NE(mkdtemp(pattern), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    nlohmann::json report(const std::string& events) {
        run_program("regions",
                    {"PAPI_OUTPUT_DIRECTORY=" + folder, "PAPI_EVENTS=" + events, "SLURM_PROCID=7"});
        std::ifstream file(folder + "/papi_hl_output/rank_000007.json");
        return nlohmann::json::parse(file);
    }

    std::string folder;
};

TEST_F(Regions, AreReportedAsPapiDoes) {
    const auto json = report("perf::TASK-CLOCK,perf::PAGE-FAULTS=instant");
    EXPECT_EQ(json["papi_version"], "7.3.0.0");
    EXPECT_EQ(json["event_definitions"]["perf::TASK-CLOCK"]["component"], "perf_event");
    EXPECT_EQ(json["event_definitions"]["perf::TASK-CLOCK"]["type"], "delta");
    EXPECT_EQ(json["event_definitions"]["perf::PAGE-FAULTS"]["type"], "instant");
    ASSERT_EQ(json["threads"].size(), 2u);
    const auto& regions = json["threads"]["0"]["regions"];
    ASSERT_EQ(regions.size(), 2u) << "a region that never ended is left out";
    EXPECT_EQ(regions["0"]["name"], "outer");
    EXPECT_EQ(regions["0"]["parent_region_id"], "-1");
    EXPECT_EQ(regions["1"]["name"], "in\"ner");
    EXPECT_EQ(regions["1"]["parent_region_id"], "0");
    const auto& clock = regions["1"]["perf::TASK-CLOCK"];
    EXPECT_GE(std::stoll(clock["region_value"].get<std::string>()),
              std::stoll(clock["read_1"].get<std::string>()));
    EXPECT_GT(std::stoll(regions["0"]["real_time_nsec"].get<std::string>()), 0);
    EXPECT_EQ(json["threads"]["1"]["regions"]["0"]["name"], "thread");
}

TEST_F(Regions, FallBackToEventsThatCountEverywhere) {
    const auto json = report("PAPI_NONSENSE");
    EXPECT_TRUE(json["event_definitions"].contains("perf::TASK-CLOCK"));
}

TEST_F(Regions, AnOldReportIsMovedAside) {
    std::filesystem::create_directory(folder + "/papi_hl_output");
    std::filesystem::last_write_time(
        folder + "/papi_hl_output",
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    report("perf::TASK-CLOCK");
    int folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        folders += entry.is_directory() ? 1 : 0;
    }
    EXPECT_EQ(folders, 2);
}

}  // namespace
