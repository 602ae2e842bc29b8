#include "measure/engine.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes what it is asked, and fails where it is told to.
class Noting final : public Collector {
  public:
    Noting(std::string name, std::vector<std::string>& calls)
        : name_(std::move(name)), calls_(calls) {}

    Result<void> attach(pid_t command) override {
        command_ = command;
        return did("attach");
    }
    Result<void> begin() override { return did("begin"); }
    Result<void> read_interval(run::Interval& interval) override {
        interval.counts.emplace_back().name = name_;
        return did("interval");
    }
    void stop() override { static_cast<void>(did("stop")); }
    Result<void> end() override {
        // A zombie still takes a signal; who was waited for does not.
        was_there_ = command_ == 0 || ::kill(command_, 0) == 0;
        return did("end");
    }
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) override {
        run.counts.emplace_back().name = name_;
        run.counts.back().value = status ? status->shell_code() : -1;
        return did("collect");
    }

    void fail_at(const std::string& call) { fails_ = call; }
    bool was_there() const { return was_there_; }

  private:
    Result<void> did(const std::string& call) {
        calls_.push_back(name_ + " " + call);
        if (call != fails_) return {};
        return base::fail(ErrorCode::io, "cannot " + call);
    }

    std::string name_;
    std::vector<std::string>& calls_;
    std::string fails_;
    pid_t command_ = 0;
    bool was_there_ = false;
};

class EngineTest : public ::testing::Test {
  protected:
    std::vector<std::string> calls_;
    Noting first_{"a", calls_};
    Noting second_{"b", calls_};
    Engine engine_{std::vector<Collector*>{&first_, &second_}};
    run::Run run_;
};

TEST_F(EngineTest, ACommandIsMeasuredFromBeforeItsExecToItsEnd) {
    const Outcome outcome = engine_.around({"sh", "-c", "exit 3"}, {}, run_);
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(calls_, ElementsAre("a attach", "b attach", "a begin", "b begin", "a stop",
                                    "b stop", "b end", "a end", "a collect", "b collect"));
    EXPECT_TRUE(first_.was_there());
    EXPECT_EQ(run_.exit_code, 3);
    ASSERT_EQ(run_.counts.size(), 2u);
    EXPECT_EQ(run_.counts[0].value, 3);
}

TEST_F(EngineTest, WhatTheCallerDoesComesAfterTheCollectors) {
    CommandHooks hooks;
    hooks.before = [&](pid_t) -> Result<void> {
        calls_.emplace_back("before");
        return {};
    };
    hooks.ended = [&] {
        calls_.emplace_back("ended");
        const auto interval = engine_.read_interval(2);
        ASSERT_TRUE(interval);
        EXPECT_EQ(interval->at_s, 2);
        EXPECT_EQ(interval->counts.size(), 2u);
    };
    ASSERT_FALSE(engine_.around({"true"}, hooks, run_).error);
    EXPECT_THAT(calls_, ElementsAre("a attach", "b attach", "before", "a begin", "b begin",
                                    "a stop", "b stop", "b end", "a end", "ended", "a interval",
                                    "b interval", "a collect", "b collect"));
}

TEST_F(EngineTest, WhoCannotAttachKeepsTheCommandFromRunning) {
    second_.fail_at("attach");
    const std::string mark = ::testing::TempDir() + "engine_test_ran";
    const Outcome outcome = engine_.around({"touch", mark}, {}, run_);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->what, "cannot attach");
    EXPECT_EQ(outcome.exit_code, base::exit_failure);
    EXPECT_THAT(calls_, ElementsAre("a attach", "b attach"));
    EXPECT_NE(::access(mark.c_str(), F_OK), 0);
}

TEST_F(EngineTest, AllEndEvenIfOneCannotBeRead) {
    second_.fail_at("end");
    const Outcome outcome = engine_.around({"true"}, {}, run_);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->what, "cannot end");
    EXPECT_EQ(calls_.back(), "a end");
    EXPECT_THAT(run_.counts, IsEmpty());
}

TEST_F(EngineTest, ACommandThatDoesNotExistNeverBegins) {
    const Outcome outcome = engine_.around({"/no/such/program"}, {}, run_);
    EXPECT_EQ(outcome.exit_code, base::exit_not_found);
    EXPECT_THAT(calls_, ElementsAre("a attach", "b attach"));
    EXPECT_THAT(run_.counts, IsEmpty());
}

TEST_F(EngineTest, WhatRunsAlreadyIsMeasuredWhileWeWait) {
    const auto wait = [&]() -> Result<void> {
        calls_.emplace_back("wait");
        return {};
    };
    ASSERT_TRUE(engine_.during(wait, run_));
    EXPECT_THAT(calls_, ElementsAre("a attach", "b attach", "a begin", "b begin", "wait", "a stop",
                                    "b stop", "b end", "a end", "a collect", "b collect"));
    EXPECT_FALSE(run_.exit_code);
    EXPECT_EQ(run_.counts[0].value, -1) << "there is no command";
}

}  // namespace
}  // namespace ringside::measure
