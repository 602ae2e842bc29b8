// A guest and its host record at the same time; the guest writes numbered marks to I/O ports, which
// the host sees as exits. After merging, each mark must lie where the host saw its write.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::uint64_t first_port = 0x2000;
constexpr double tolerance_us = 50;

// Time in this box is the real one, under emulation: whoever emulates the guest may be preempted
// between any two of its instructions. So a mark is the time between the guest's entry into the
// system call that writes to the port and its return from it.
struct Mark {
    double begin_us = 0;
    double end_us = 0;
};

std::string run_tool(const std::vector<std::string>& argv) {
    auto output = base::run(argv);
    if (!output) return output.error().what;
    EXPECT_EQ(output->status.shell_code(), 0) << argv[0] << " " << argv[1] << output->stderr_text;
    return output->stdout_text;
}

struct Line {
    double time_us = 0;
    std::string event;
    std::string fields;
};

// "   31.236392123:            kvm:kvm_pio: pio_write at 0x2001 size 1 count 1 val 0x0"
std::vector<Line> script(const std::string& file) {
    std::vector<Line> lines;
    const std::string text =
        run_tool({"perf", "script", "--ns", "-i", file, "-F", "time,event,trace"});
    for (const auto line : base::split_lines(text)) {
        const auto words = base::split_words(line);
        if (words.size() < 2 || !words[0].ends_with(':') || !words[1].ends_with(':')) continue;
        Line& found = lines.emplace_back();
        found.time_us = std::strtod(std::string(words[0]).c_str(), nullptr) * 1e6;
        found.event = words[1].substr(0, words[1].size() - 1);
        found.fields = line.substr(line.find(words[1]) + words[1].size());
    }
    return lines;
}

// The number in "at 0x2001" or "pos_l: 0x00002001".
std::optional<std::uint64_t> number_after(const std::string& fields, const std::string& name) {
    const auto at = fields.find(name);
    if (at == std::string::npos) return std::nullopt;
    const auto from = fields.find("0x", at) + 2;
    const auto to = fields.find_first_not_of("0123456789abcdef", from);
    const auto port = base::parse_u64(fields.substr(from, to - from), 16);
    if (!port || *port <= first_port || *port > first_port + 0xfff) return std::nullopt;
    return *port - first_port;
}

std::vector<double> times_of(const std::vector<Line>& lines, const std::string& event) {
    std::vector<double> times;
    for (const auto& line : lines)
        if (line.event == event) times.push_back(line.time_us);
    return times;
}

// Which mark is which is in the guest's own file; merging does not change their order.
std::map<std::uint64_t, Mark> marks_of(const std::string& guest_file,
                                       const std::vector<Line>& merged) {
    std::vector<std::uint64_t> numbers;
    for (const auto& line : script(guest_file))
        if (const auto number = number_after(line.fields, "pos_l"))
            if (line.event == "syscalls:sys_enter_pwritev") numbers.push_back(*number);
    const auto begins = times_of(merged, "syscalls:sys_enter_pwritev");
    const auto ends = times_of(merged, "syscalls:sys_exit_pwritev");
    std::map<std::uint64_t, Mark> marks;
    EXPECT_EQ(begins.size(), numbers.size());
    for (std::size_t i = 0; i < std::min(begins.size(), numbers.size()); ++i) {
        const auto end = std::upper_bound(ends.begin(), ends.end(), begins[i]);
        if (end != ends.end()) marks[numbers[i]] = {begins[i], *end};
    }
    return marks;
}

void expect_marks_where_written(const std::string& guest_file, const std::string& merged_file) {
    const auto merged = script(merged_file);
    const auto marks = marks_of(guest_file, merged);
    std::size_t compared = 0;
    std::size_t apart = 0;
    double worst_us = 0;
    for (const auto& line : merged) {
        if (line.event != "kvm:kvm_pio") continue;
        const auto number = number_after(line.fields, " at ");
        const auto mark = number ? marks.find(*number) : marks.end();
        if (mark == marks.end()) continue;
        const double off_us = std::max(
            {mark->second.begin_us - line.time_us, line.time_us - mark->second.end_us, 0.0});
        if (off_us > tolerance_us) ++apart;
        worst_us = std::max(worst_us, off_us);
        ++compared;
    }
    EXPECT_EQ(apart, 0u) << "the worst by " << worst_us << " us";
    EXPECT_GE(compared, 50u) << marks.size() << " marks in the guest's recording";
    std::printf("%zu marks, the worst %.1f us beside its kvm_pio\n", compared, worst_us);
}

void expect_good_report(const Json& report, const std::string& clock) {
    const auto& guest = report["guests"][0];
    EXPECT_EQ(report["schema"], "ringside.merge/1");
    EXPECT_EQ(guest["clock"]["source"], clock);
    const double inside = guest["samples"]["inside"];
    const double contradicting = guest["samples"]["contradicting"];
    EXPECT_GT(inside, 100);
    EXPECT_LE(contradicting, inside / 50);
    ASSERT_EQ(guest["vcpus"].size(), 2u);
    for (const auto& vcpu : guest["vcpus"]) {
        EXPECT_EQ(vcpu["vcpu"], vcpu["guest_cpu"]);
        EXPECT_GT(vcpu["host"]["running_ns"], 0);
        EXPECT_GT(vcpu["host"]["sleeping_ns"], 0);
        EXPECT_TRUE(vcpu["host"]["waiting_ns"].is_number());
        EXPECT_TRUE(vcpu["guest"]["stolen_ns"].is_number());
    }
    std::printf("clock by %s +- %.1f us, drift %.1f ppm, %.0f of %.0f samples contradict\n",
                clock.c_str(), guest["clock"]["uncertainty_ns"].get<double>() / 1e3,
                guest["clock"]["drift_ppm"].get<double>(), contradicting, inside + contradicting);
}

// Host and guest in one table, each under its own world.
void expect_both_worlds(const std::string& ringside, const std::string& merged_file,
                        const std::string& timeline_file) {
    const auto report =
        Json::parse(run_tool({ringside, "report", "--json", "-i", merged_file}), nullptr, false);
    std::vector<std::string> guest_comms;
    std::vector<std::string> host_comms;
    for (const auto& event : report["events"])
        for (const auto& row : event["rows"]) {
            const std::string mode = row["mode"];
            (mode.starts_with("guest") ? guest_comms : host_comms).push_back(row["comm"]);
        }
    EXPECT_THAT(guest_comms, Contains("port_marks"));
    EXPECT_THAT(host_comms, Contains("CPU 0/KVM"));
    EXPECT_THAT(host_comms, ::testing::Not(Contains("port_marks")));
    run_tool({ringside, "export", "firefox", "--event", "cpu-clock", "-i", merged_file, "-o",
              timeline_file});
    EXPECT_THAT(
        run_tool({"perf", "kvm", "--host", "--guest", "report", "--stdio", "-i", merged_file}),
        HasSubstr("port_marks"));
}

TEST(Merge, MarksOfAGuestLieWhereTheHostSawThem) {
    REQUIRE_BOX("x86");
    const Scratch scratch;
    const auto beside = scratch.write(
        "record-host",
        "#!/bin/sh\n"
        "touch /run/ringside/ready\n"
        "until grep -q command /run/ringside/inner.status 2>/dev/null; do sleep 0.1; done\n"
        "ringside record -a -m 4096 -o /tmp/host.data -e cpu-clock,kvm:kvm_entry,kvm:kvm_exit,"
        "kvm:kvm_pio,kvm:kvm_userspace_exit,sched:sched_switch,sched:sched_wakeup &\n"
        "until grep -q exit /run/ringside/inner.status; do sleep 0.1; done\n"
        "kill -INT $!\n"
        "wait $!\n");
    const std::string host_file = scratch.file("host.data");
    const std::string guest_file = scratch.file("guest.data");
    const auto box = run_box(
        {"run", "x86-kvm", "--inner", "--beside", beside, "--host-get",
         "/tmp/host.data:" + host_file, "--get", "/tmp/guest.data:" + guest_file, "--put",
         RINGSIDE_BINARY_DIR "/workloads/port_marks:/usr/bin/port_marks", "--", "sh", "-c",
         "sleep 2; ringside record -a -o /tmp/guest.data -e "
         "cpu-clock,syscalls:sys_enter_pwritev,syscalls:sys_exit_pwritev -- port_marks 150"});
    ASSERT_EQ(box.exit_code, 0) << box.err;
    const std::string merged_file = scratch.file("merged.data");
    std::vector<std::string> merge{ringside, "merge",     host_file, guest_file,
                                   "-o",     merged_file, "--json"};
    for (const std::string clock : {"counter", "runs"}) {
        if (clock == "runs") merge.emplace_back("--by-runs");
        const auto report = Json::parse(run_tool(merge), nullptr, false);
        ASSERT_FALSE(report.is_discarded());
        expect_good_report(report, clock);
        expect_marks_where_written(guest_file, merged_file);
    }
    expect_both_worlds(ringside, merged_file, scratch.file("timeline.json"));
}

}  // namespace
}  // namespace ringside::system_test
