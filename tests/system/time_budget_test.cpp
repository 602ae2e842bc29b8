// Where the time goes in a guest whose two virtual CPUs share one CPU of the host, by BPF and by
// the kernel's own sums, on a kernel that has all sources switched on.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "box.h"

namespace ringside::system_test {
namespace {

using nlohmann::json;

constexpr const char* measuring_script =
    "#!/bin/sh\n"
    "echo 1 > /proc/sys/kernel/task_delayacct\n"
    "echo 1 > /proc/sys/kernel/sched_schedstats\n"
    "echo 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' > /tmp/spin\n"
    "ringside time --faults --json -o /tmp/traced.json -- sh -c 'sh /tmp/spin & sh /tmp/spin; "
    "wait' || exit 1\n"
    "restricted --uid 65534 -- ringside time --json -- sleep 0.3 > /tmp/summed.json || exit 1\n";

std::int64_t ns(const json& report, const char* part) {
    return report.at("time").at(part).get<std::int64_t>();
}

void expect_whole(const json& report) {
    std::int64_t sum = 0;
    for (const auto* part : {"user_ns", "kernel_ns", "stolen_ns", "waiting_ns", "blocked_ns",
                             "paging_ns", "sleeping_ns", "stopped_ns", "unexplained_ns"}) {
        const json& value = report.at("time").at(part);
        if (value.is_number()) sum += value.get<std::int64_t>();
    }
    EXPECT_EQ(sum, ns(report, "lifetime_ns"));
}

TEST(TimeBudget, TwoBusyCpusOfAGuestShareOneOfTheHost) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const BoxResult box =
        run_box({"run", "x86-kvm", "--inner", "--inner-pin", "--put",
                 scratch.write("measure", measuring_script) + ":/usr/bin/measure", "--put",
                 std::string(RINGSIDE_BINARY_DIR) + "/tests/restricted:/usr/bin/restricted",
                 "--get", "/tmp/traced.json:" + scratch.file("traced"), "--get",
                 "/tmp/summed.json:" + scratch.file("summed"), "--", "measure"});
    ASSERT_EQ(box.exit_code, 0) << box.err;

    const json traced = json::parse(scratch.read("traced"));
    std::printf("%s\n", traced.at("time").dump().c_str());
    expect_whole(traced);
    EXPECT_EQ(traced.at("budget").at("method"), "bpf_sched_states");
    // Both spin all the time, on one real CPU: what they executed fits into it, and each lost about
    // what the other got.
    EXPECT_LE(ns(traced, "executed_ns"), ns(traced, "wall_ns"));
    EXPECT_NEAR(static_cast<double>(ns(traced, "stolen_ns")) /
                    static_cast<double>(ns(traced, "occupied_ns")),
                0.5, 0.1);
    const json& paging = traced.at("budget").at("paging");
    EXPECT_GT(paging.at("fault_cpu").at("ns").get<std::int64_t>(), 0) << paging;
    EXPECT_TRUE(paging.at("swapin").at("ns").is_number()) << paging;

    const json summed = json::parse(scratch.read("summed"));
    std::printf("%s\n", summed.at("time").dump().c_str());
    expect_whole(summed);
    EXPECT_EQ(summed.at("budget").at("method"), "kernel_sums");
    EXPECT_GE(ns(summed, "unexplained_ns"),
              -summed.at("budget").at("unexplained").at("error_ns").get<std::int64_t>());
    EXPECT_EQ(summed.at("budget").at("parts").at("sleeping").at("source"), "schedstats");
    EXPECT_GE(ns(summed, "sleeping_ns"), 300'000'000);
    EXPECT_LE(ns(summed, "sleeping_ns"), ns(summed, "lifetime_ns"));
}

}  // namespace
}  // namespace ringside::system_test
