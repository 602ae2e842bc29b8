// A terminal that is closed ends the command that a verb runs: SIGHUP to ringside alone leaves no
// process behind.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "../scratch.h"
#include "base/process.h"

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Verb {
    const char* name;
    Words words;  // before the command
};

void PrintTo(const Verb& verb, std::ostream* out) {
    *out << verb.name;
}

class Hangup : public ::testing::TestWithParam<Verb> {
  protected:
    void SetUp() override {
        top_ = scratch::file(std::string("hangup_") + GetParam().name);
        fs::remove_all(top_);
        fs::create_directories(top_);
    }

    // The command says who it is and then sleeps, longer than any test.
    base::Child start() const {
        Words argv{"env", "-C", top_.string(), "TMPDIR=" + top_.string(), RINGSIDE_COMMAND};
        argv.insert(argv.end(), GetParam().words.begin(), GetParam().words.end());
        const Words command{"--", "sh",
                            "-c", "echo $$ >\"$1.new\"; mv \"$1.new\" \"$1\"; exec sleep 3600",
                            "sh", pid_file().string()};
        argv.insert(argv.end(), command.begin(), command.end());
        auto child = base::spawn(argv);
        if (!child) std::abort();
        return std::move(*child);
    }
    fs::path pid_file() const { return top_ / "pid"; }
    pid_t await_command() const {
        pid_t pid = 0;
        for (int i = 0; i < 3000 && !(std::ifstream(pid_file()) >> pid); ++i) ::usleep(10'000);
        return pid;
    }
    // Waits for the end of a process that is not our child; what kills it is on its way.
    static bool ends(pid_t pid) {
        for (int i = 0; i < 3000; ++i) {
            if (::kill(pid, 0) != 0) return true;
            ::usleep(10'000);
        }
        return false;
    }

    fs::path top_;
};

TEST_P(Hangup, EndsTheCommand) {
    base::Child ringside = start();
    const pid_t command = await_command();
    ASSERT_GT(command, 0) << "the command did not start";
    ringside.send_signal(SIGHUP);
    const auto status = ringside.wait();
    EXPECT_TRUE(status);
    EXPECT_TRUE(ends(command)) << "the command lives on";
    ::kill(command, SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachVerb, Hangup,
    ::testing::Values(Verb{"record", {"record", "-e", "cpu-clock", "-o", "recording"}},
                      Verb{"stat", {"stat", "-e", "task-clock"}}, Verb{"time", {"time"}},
                      Verb{"io", {"io"}}, Verb{"measure", {"measure", "--no-trace", "-o", "run"}},
                      Verb{"compare",
                           {"compare", "--no-trace", "-r", "1", "--on", "a=native", "--on",
                            "b=native"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

using HangupUnderNohup = Hangup;

TEST_P(HangupUnderNohup, IsNotHandedOn) {
    const auto before = ::signal(SIGHUP, SIG_IGN);
    base::Child ringside = start();
    ::signal(SIGHUP, before);
    const pid_t command = await_command();
    ASSERT_GT(command, 0) << "the command did not start";
    ringside.send_signal(SIGHUP);
    ringside.send_signal(SIGTERM);  // the later one, and the one that ends it
    const auto status = ringside.wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(status->shell_code(), 128 + SIGTERM);
    EXPECT_TRUE(ends(command));
    ::kill(command, SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(OfOneVerb, HangupUnderNohup,
                         ::testing::Values(Verb{"stat_ignored", {"stat", "-e", "task-clock"}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace ringside::cli
