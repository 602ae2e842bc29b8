// doctor in every kind of box: exact where counts are exact, and not fooled where the host takes
// counters away while the guest's kernel says that all is well.
#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

#define REQUIRE_ARM64_BOX()                                                            \
    REQUIRE_BOX("arm64");                                                              \
    if (const auto why = ::ringside::system_test::missing_arm64_build(); !why.empty()) \
    GTEST_SKIP() << why

namespace ringside::system_test {
namespace {

using Json = nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* pmu_hold = RINGSIDE_SOURCE_DIR "/build/arm64/workloads/pmu_hold";

Json doctor(std::vector<std::string> box, const std::vector<std::string>& options = {}) {
    box.insert(box.begin(), "run");
    box.insert(box.end(), {"--", "ringside", "doctor", "--json"});
    box.insert(box.end(), options.begin(), options.end());
    const BoxResult result = run_box(box);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    Json report = Json::parse(result.out, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << result.out << result.err;
    return report.is_object() ? report : Json::object();
}

// doctor inside the guest of arm64-kvm, while the host runs `script`.
Json doctor_beside(const std::string& script, const std::vector<std::string>& options = {}) {
    const Scratch scratch;
    return doctor({"arm64-kvm", "--inner", "--host-put", std::string(pmu_hold) + ":/usr/bin/hold",
                   "--beside", scratch.write("beside", "#!/bin/sh\n" + script)},
                  options);
}

Json event(const Json& report, const std::string& name) {
    for (const auto& each : report.value("events", Json::array())) {
        if (each.value("name", "") == name) return each;
    }
    return Json::object();
}

std::string state(const Json& report, const std::string& name) {
    return event(report, name).value("state", "not listed");
}

auto slots_in(const Json& report, const std::string& wanted) {
    const Json slots = report.value("/pmu/slots"_json_pointer, Json::array());
    return std::count_if(slots.begin(), slots.end(),
                         [&](const Json& slot) { return slot.value("state", "") == wanted; });
}

TEST(Doctor, X86GuestHasNoPmuAndSaysSo) {
    REQUIRE_BOX("x86");
    const Json report = doctor({"x86-guest"});
    EXPECT_EQ(report.value("schema", ""), "ringside.doctor/1");
    EXPECT_THAT(report["machine"].value("hypervisor", ""), AnyOf("tcg", "kvm"));
    EXPECT_EQ(report["machine"]["virtualized"], true);
    EXPECT_EQ(report["pmu"]["present"], false);
    EXPECT_EQ(report["pmu"]["counters"], 0);
    EXPECT_EQ(state(report, "cycles"), "absent");
    EXPECT_EQ(state(report, "task-clock"), "ok");
    EXPECT_EQ(state(report, "context-switches"), "ok");
    EXPECT_EQ(state(report, "cpu-migrations"), "ok");
    EXPECT_EQ(report["sampling"]["event"], "cpu-clock");
    EXPECT_FALSE(report["advice"].empty());
}

// Debian's kernels know a level above 2 at which users get no events at all.
TEST(Doctor, AUserAtParanoid3IsToldWhatCannotBeLookedAt) {
    REQUIRE_BOX("x86");
    const BoxResult result =
        run_box({"run", "x86-guest", "--put",
                 RINGSIDE_BINARY_DIR "/tests/restricted:/usr/bin/restricted", "--", "sh", "-c",
                 "sysctl -q -w kernel.perf_event_paranoid=3 && "
                 "restricted --uid 65534 -- ringside doctor --json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Json report = Json::parse(result.out);
    EXPECT_EQ(report["permissions"]["perf_event_paranoid"], 3);
    EXPECT_EQ(state(report, "task-clock"), "not_permitted");
    EXPECT_TRUE(report["sampling"]["event"].is_null());
    EXPECT_TRUE(report["steal"]["per_thread"].is_null());
    EXPECT_THAT(report["advice"].dump(), HasSubstr("perf_event_paranoid"));
}

TEST(Doctor, Arm64PmuIsExact) {
    REQUIRE_ARM64_BOX();
    const Json report = doctor({"arm64-pmu"});
    EXPECT_EQ(report["pmu"]["present"], true);
    EXPECT_EQ(report["pmu"]["counters"], 7);
    EXPECT_EQ(report["pmu"]["counters_ok"], 7);
    EXPECT_EQ(event(report, "instructions").value("count", 0), 1'999'998);
    EXPECT_EQ(state(report, "instructions"), "ok");
    for (const auto* unimplemented : {"l1d_cache_refill", "br_retired", "mem_access"}) {
        EXPECT_EQ(state(report, unimplemented), "dead");
        EXPECT_THAT(event(report, unimplemented).value("detail", ""),
                    HasSubstr("the PMU does not list it"));
    }
    EXPECT_EQ(report["pmu"]["watch"]["freezes"], Json::array());
    EXPECT_EQ(report["sampling"]["event"], "cycles");
    EXPECT_EQ(report["machine"]["kvm_host"], true);
}

TEST(Doctor, Arm64PmuIsReadFromUserSpaceWhereTheKernelLendsIt) {
    REQUIRE_ARM64_BOX();
    const BoxResult result =
        run_box({"run", "arm64-pmu", "--", "sh", "-c",
                 "sysctl -q -w kernel.perf_user_access=1 && ringside doctor --json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Json report = Json::parse(result.out);
    EXPECT_EQ(report["pmu"]["user_read"]["state"], "ok") << report["pmu"]["user_read"].dump();
}

TEST(Doctor, Arm64KvmHostCanBeAHost) {
    REQUIRE_ARM64_BOX();
    const Json report = doctor({"arm64-kvm"});
    EXPECT_EQ(report["machine"]["kvm_host"], true);
    EXPECT_EQ(report["kvm"]["backend"], "vhe");
    EXPECT_EQ(report["kvm"]["guest_pmu"], true);
    EXPECT_EQ(report["pmu"]["counters_ok"], 7);
}

// The control for the tests below: nobody on the host holds a counter.
TEST(Doctor, Arm64InnerGuestHasAllCountersAndItsHostsClock) {
    REQUIRE_ARM64_BOX();
    const Json report = doctor({"arm64-kvm", "--inner"}, {"--watch", "2"});
    EXPECT_EQ(report["machine"]["hypervisor"], "kvm");
    EXPECT_EQ(report["machine"]["virtualized"], true);
    EXPECT_EQ(report["pmu"]["counters"], 7);
    EXPECT_EQ(report["pmu"]["counters_ok"], 7);
    EXPECT_EQ(report["pmu"]["watch"]["freezes"], Json::array());
    EXPECT_TRUE(report["clock"]["guest_ahead_of_host_ns"].is_number_integer())
        << report["clock"].dump();
    EXPECT_EQ(report["steal"]["supported"], true);
    EXPECT_EQ(report["steal"]["per_thread"], "bpf_sched_switch");
}

// Every event is alive as long as one counter is left, and five of the seven are not.
TEST(Doctor, FiveCountersHeldByTheHostAreStarvedInTheGuest) {
    REQUIRE_ARM64_BOX();
    const Json report =
        doctor_beside("exec hold --count 5 --seconds 1000 --ready /run/ringside/ready\n");
    EXPECT_EQ(report["machine"]["virtualized"], true);
    EXPECT_EQ(report["pmu"]["counters"], 7);
    EXPECT_EQ(report["pmu"]["counters_ok"], 2);
    EXPECT_EQ(slots_in(report, "starved"), 5);
    EXPECT_EQ(state(report, "instructions"), "ok");
    EXPECT_EQ(state(report, "br_retired"), "dead");
}

TEST(Doctor, AllCountersHeldByTheHostLeaveNoEventOk) {
    REQUIRE_ARM64_BOX();
    const Json report =
        doctor_beside("exec hold --count 7 --seconds 1000 --ready /run/ringside/ready\n");
    EXPECT_EQ(report["pmu"]["present"], true);
    EXPECT_EQ(report["pmu"]["counters_ok"], 0);
    EXPECT_EQ(slots_in(report, "starved"), 7);
    for (const auto* name : {"cycles", "instructions", "cpu_cycles", "inst_retired"}) {
        EXPECT_EQ(state(report, name), "starved");
    }
    EXPECT_EQ(report["sampling"]["event"], "cpu-clock");
}

// Held for a moment in the middle of the watch: the guest's kernel does not notice, the watch does.
TEST(Doctor, ACounterTakenDuringAMeasurementIsSeen) {
    REQUIRE_ARM64_BOX();
    const Json report = doctor_beside(
        "touch /run/ringside/ready\n"
        "until grep -q command /run/ringside/inner.status 2>/dev/null; do sleep 0.1; done\n"
        "while :; do sleep 1; hold --count 5 --seconds 0.1; done\n",
        {"--watch", "2"});
    const Json freezes = report["pmu"]["watch"]["freezes"];
    EXPECT_TRUE(std::any_of(freezes.begin(), freezes.end(), [](const Json& freeze) {
        return freeze.value("at_ns", 0u) > 0;
    })) << freezes.dump();
}

TEST(Doctor, X86KvmHostCanBeAHost) {
    REQUIRE_BOX("x86");
    const Json report = doctor({"x86-kvm"});
    EXPECT_EQ(report["machine"]["kvm_host"], true);
    EXPECT_EQ(report["kvm"]["backend"], "svm");
    EXPECT_EQ(report["pmu"]["present"], false);
}

TEST(Doctor, X86InnerGuestKnowsItsHypervisor) {
    REQUIRE_BOX("x86");
    const Json report = doctor({"x86-kvm", "--inner"});
    EXPECT_EQ(report["machine"]["hypervisor"], "kvm");
    EXPECT_EQ(report["steal"]["supported"], true);
    EXPECT_EQ(state(report, "cycles"), "absent");
    EXPECT_EQ(state(report, "task-clock"), "ok");
}

}  // namespace
}  // namespace ringside::system_test
