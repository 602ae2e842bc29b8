// `ringside soft`: what the soft PMU of a machine counted.
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "golden.h"
#include "report/soft/soft_report.h"
#include "soft/run.h"
#include "softpmu/store.h"
#include "tests/scratch.h"

namespace ringside::report {
namespace {

// Of a machine with two vCPUs, which is asked for instructions and branches. The file's name and
// the process are those of the test.
soft::CountFile made_count_file() {
    const std::string folder = scratch::file("soft_report");
    std::filesystem::create_directories(folder);
    softpmu::Store store;
    EXPECT_EQ(store.open({folder, 62, 1u << SOFT_INSTRUCTIONS | 1u << SOFT_BRANCHES, 0, 0}), 0);
    store.show_vcpus(2);
    store.vcpu(0).counter[SOFT_INSTRUCTIONS].raw = 1'000'000;
    store.vcpu(1).counter[SOFT_INSTRUCTIONS].raw = 234;
    return soft::CountFile::read(soft::newest_file(folder, ::getpid()).value()).value();
}

std::string without_pid(std::string text) {
    const std::string pid = std::to_string(::getpid());
    const auto at = text.find(pid);
    return at == std::string::npos ? text : text.replace(at, pid.size(), "PID");
}

TEST(SoftReport, CountsOfAMachine) {
    const auto file = made_count_file();
    golden::expect("soft.txt", without_pid(soft_text("vm.soft", file, true)));
    golden::expect("soft.json", without_pid(soft_json("vm.soft", file)));
    EXPECT_EQ(without_pid(soft_text("vm.soft", file, false)),
              "vm.soft: of process PID, counting\n"
              "           1,000,234  INSTRUCTIONS (soft)\n"
              "                   0  BRANCHES (soft)\n");
}

}  // namespace
}  // namespace ringside::report
