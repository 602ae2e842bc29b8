// A profile of a whole machine, taken from outside: one boot, which ends in a panic, so that it is
// also shown to be there however a machine ends.
#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// By event, what is told of the samples of each "command module symbol".
std::map<std::string, std::map<std::string, std::uint64_t>> periods_of(const Json& report) {
    std::map<std::string, std::map<std::string, std::uint64_t>> events;
    for (const auto& event : report["events"]) {
        for (const auto& row : event["rows"]) {
            const std::string name = row["comm"].get<std::string>() + " " +
                                     row["dso"].get<std::string>() + " " +
                                     row["symbol"].get<std::string>();
            events[event["name"]][name] += row["period"].get<std::uint64_t>();
        }
    }
    return events;
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& rows) {
    std::uint64_t sum = 0;
    for (const auto& [name, period] : rows) sum += period;
    return sum;
}

class GuestProfile : public ::testing::TestWithParam<SoftBox> {};

TEST_P(GuestProfile, NamesProcessesFunctionsAndDevicesAndSurvivesTheGuest) {
    REQUIRE_BOX(GetParam());
    const Scratch scratch;
    const std::string loop = GetParam().build + "/workloads/counted_loop";
    const BoxResult result =
        run_box({"run", GetParam().kind, "--timeout", "300", "--put",
                 loop + ":/usr/bin/counted_loop", "--profile", scratch.file("guest.data"),
                 "--profile-period", "10007", "--profile-json", scratch.file("profile.json"), "--",
                 "sh", "-c", "counted_loop 20000000; sync; echo c >/proc/sysrq-trigger"});
    SCOPED_TRACE(result.out + result.err);
    EXPECT_EQ(result.exit_code, 125) << "it panicked";

    const Json profile = Json::parse(scratch.read("profile.json"));
    EXPECT_TRUE(profile["notes"].empty()) << profile["notes"];
    EXPECT_EQ(profile["lost"], 0);
    EXPECT_GT(profile["instructions_per_ns"].get<double>(), 0);
    EXPECT_THAT(result.err, HasSubstr("for each ns that QEMU took"));
    std::vector<std::string> devices;
    for (const auto& device : profile["devices"]) devices.push_back(device["device"]);
    const bool arm64 = GetParam().arch == std::string("arm64");
    EXPECT_THAT(devices, Contains(HasSubstr(arm64 ? "pl011" : "apic")));

    const auto report = base::run({ringside, "report", "--json", "-i", scratch.file("guest.data")});
    ASSERT_TRUE(report);
    const auto events = periods_of(Json::parse(report->stdout_text));
    ASSERT_EQ(events.size(), 2u);
    const auto& cpu = events.at("soft:instructions");
    const auto& domain = events.at("soft:instructions-domain");
    // Two instructions an iteration, in the file that was put into the box.
    std::uint64_t in_loop = 0;
    for (const auto& [name, period] : cpu) {
        if (name.starts_with("counted_loop counted_loop ")) in_loop += period;
    }
    // Each interrupt of the loop moves where the next sample falls: right on average alone.
    EXPECT_GT(in_loop, 39'000'000u);
    EXPECT_LT(in_loop, 44'000'000u);
    std::vector<std::string> names;
    for (const auto& [name, period] : cpu) names.push_back(name);
    EXPECT_THAT(names, Contains(HasSubstr("swapper [kernel.kallsyms] ")));
    EXPECT_THAT(names, Contains(HasSubstr("counted_loop [kernel.kallsyms] ")));
    EXPECT_GT(sum_of(domain), sum_of(cpu)) << "devices were reached, and cost something";
    EXPECT_NEAR(static_cast<double>(sum_of(cpu)), profile["instructions"].get<double>(),
                0.01 * profile["instructions"].get<double>());

    // With the disassembler of the guest's machine, wherever this one is.
    const auto annotated = base::run(
        {ringside, "annotate", "ringside::trust::counted_loop", "-i", scratch.file("guest.data")});
    ASSERT_TRUE(annotated);
    EXPECT_EQ(annotated->status.code, 0) << annotated->stderr_text;
    EXPECT_THAT(annotated->stdout_text, HasSubstr(arm64 ? "subs" : "dec"));
}

INSTANTIATE_TEST_SUITE_P(EachBox, GuestProfile, ::testing::ValuesIn(soft_boxes()),
                         [](const auto& box) { return std::string(box.param.arch); });

}  // namespace
}  // namespace ringside::system_test
