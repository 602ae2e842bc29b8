// Two virtual CPUs on one CPU of a real KVM host. The truth is what the host's scheduler says of
// each vCPU thread: how long it ran, and how long it waited for the CPU.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/text.h"
#include "box.h"

namespace ringside::system_test {
namespace {

struct Sample {
    double time_ns = 0;
    double run_ns = 0;
    double wait_ns = 0;
};

struct GuestThread {
    double real_ns = 0;
    double steal_ns = 0;
    double compensated_ns = 0;
    std::string method;
};

double number(const std::string& text) {
    return static_cast<double>(base::parse_u64(text).value_or(0));
}

std::vector<GuestThread> read_guest(const std::string& text) {
    std::vector<GuestThread> threads;
    for (const auto& row : base::parse_csv(text)) {
        if (row.size() < 8 || row[0] == "cpu") continue;
        threads.push_back({number(row[1]), number(row[4]), number(row[6]), row[7]});
    }
    return threads;
}

// By thread id; the vCPU threads of a QEMU begin in the order of their CPUs.
std::map<std::uint64_t, std::vector<Sample>> read_host(const std::string& text) {
    std::map<std::uint64_t, std::vector<Sample>> threads;
    for (const auto& row : base::parse_csv(text)) {
        const auto tid = row.size() == 4 ? base::parse_u64(row[1]) : std::nullopt;
        if (tid) threads[*tid].push_back({number(row[0]), number(row[2]), number(row[3])});
    }
    return threads;
}

// Between samples the scheduler's sums grow evenly, as far as anybody knows.
Sample at(const std::vector<Sample>& samples, double time_ns) {
    const auto after = std::find_if(samples.begin(), samples.end(),
                                    [&](const Sample& s) { return s.time_ns >= time_ns; });
    if (after == samples.begin()) return samples.front();
    if (after == samples.end()) return samples.back();
    const Sample& before = *(after - 1);
    const double part = (time_ns - before.time_ns) / (after->time_ns - before.time_ns);
    return {time_ns, before.run_ns + part * (after->run_ns - before.run_ns),
            before.wait_ns + part * (after->wait_ns - before.wait_ns)};
}

Sample growth(const std::vector<Sample>& samples, double begin_ns, double length_ns) {
    const Sample from = at(samples, begin_ns);
    const Sample to = at(samples, begin_ns + length_ns);
    return {length_ns, to.run_ns - from.run_ns, to.wait_ns - from.wait_ns};
}

// The guest's clock is not the host's; but the guest was quiet before and after, so its busy time
// is the window of that length in which its threads wanted a CPU most.
double busy_begin(const std::map<std::uint64_t, std::vector<Sample>>& threads, double length_ns) {
    double best_ns = 0;
    double most = -1;
    for (const Sample& start : threads.begin()->second) {
        double wanted = 0;
        for (const auto& [tid, samples] : threads) {
            const Sample grown = growth(samples, start.time_ns, length_ns);
            wanted += grown.run_ns + grown.wait_ns;
        }
        if (wanted > most) {
            most = wanted;
            best_ns = start.time_ns;
        }
    }
    return best_ns;
}

TEST(Steal, AGuestsThreadsAgreeWithTheHostsScheduler) {
    if (const auto missing = missing_for("x86"); !missing.empty()) GTEST_SKIP() << missing;
    const std::string programs = RINGSIDE_BINARY_DIR "/workloads/";
    const Scratch scratch;
    const BoxResult box = run_box({"run", "x86-kvm", "--inner", "--inner-pin", "--put",
                                   programs + "busy_threads:/usr/bin/busy_threads", "--beside",
                                   programs + "vcpu_schedule", "--host-get",
                                   "/tmp/vcpu_schedule.csv:" + scratch.file("host.csv"), "--",
                                   "busy_threads", "2", "3"});
    ASSERT_EQ(box.exit_code, 0) << box.err;
    const auto guest = read_guest(box.out);
    ASSERT_EQ(guest.size(), 2u) << box.out << box.err;
    auto host = read_host(scratch.read("host.csv"));
    const double length_ns = std::max(guest[0].real_ns, guest[1].real_ns);
    const double begin_ns = busy_begin(host, length_ns);
    std::vector<Sample> truth;
    for (const auto& [tid, samples] : host) {
        const Sample grown = growth(samples, begin_ns, length_ns);
        // QEMU's other threads are idle meanwhile.
        if (grown.run_ns + grown.wait_ns > length_ns / 2) truth.push_back(grown);
    }
    ASSERT_EQ(truth.size(), 2u);
    for (std::size_t cpu = 0; cpu < 2; ++cpu) {
        std::printf(
            "vCPU %zu: stolen %.3f s, host says it waited %.3f s; compensated %.3f s, host "
            "says it ran %.3f s; of %.3f s (%s)\n",
            cpu, guest[cpu].steal_ns / 1e9, truth[cpu].wait_ns / 1e9,
            guest[cpu].compensated_ns / 1e9, truth[cpu].run_ns / 1e9, length_ns / 1e9,
            guest[cpu].method.c_str());
        EXPECT_EQ(guest[cpu].method, "bpf_sched_switch");
        EXPECT_NEAR(guest[cpu].steal_ns / truth[cpu].wait_ns, 1.0, 0.1);
        EXPECT_NEAR(guest[cpu].compensated_ns / truth[cpu].run_ns, 1.0, 0.1);
    }
}

}  // namespace
}  // namespace ringside::system_test
