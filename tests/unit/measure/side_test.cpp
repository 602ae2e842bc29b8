#include "measure/side.h"

#include <gmock/gmock.h>

#include "base/read_file.h"
#include "base/scratch_dir.h"
#include "run/folder.h"

namespace ringside::measure {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Counts its runs and intervals.
class Fake final : public Collector {
  public:
    explicit Fake(int run) : run_(run) {}
    Result<void> attach(pid_t) override { return {}; }
    Result<void> read_interval(run::Interval& interval) override {
        interval.counts.push_back(value(1));
        return {};
    }
    Result<void> collect(const std::optional<base::ExitStatus>&, run::Run& run) override {
        run.counts.push_back(value(run_));
        run.notes.emplace_back("by a fake");
        run.build_ids["a.out"] = "beef";
        return {};
    }

  private:
    static run::Measurement value(double number) {
        run::Measurement value;
        value.name = "apples";
        value.unit = "kg";
        value.value = number;
        return value;
    }
    int run_;
};

class MeasuredSide : public ::testing::Test {
  protected:
    void SetUp() override {
        auto scratch = base::ScratchDir::make("ringside-side-test");
        ASSERT_TRUE(scratch);
        scratch_.emplace(std::move(*scratch));
        folder_ = (scratch_->path() / "side").string();
        plan_.runs = 3;
    }
    Outcome measure(const std::string& script) {
        plan_.command = {"sh", "-c", script, "sh", scratch_->path().string()};
        return measure_side(
            folder_, {"vm", run::SideKind::kvm}, plan_,
            [&](const std::string& line) { said_.push_back(line); },
            [&](const fs::path&) -> Result<Collectors> {
                Collectors collectors;
                collectors.push_back(std::make_unique<Fake>(++made_));
                return collectors;
            });
    }

    std::optional<base::ScratchDir> scratch_;
    std::string folder_;
    Plan plan_;
    std::vector<std::string> said_;
    int made_ = 0;
};

TEST_F(MeasuredSide, IsAFolderWithAllItsRuns) {
    const Outcome outcome = measure("echo hello; echo oh >&2; exit 4");
    ASSERT_FALSE(outcome.error) << outcome.error->what;
    EXPECT_EQ(outcome.exit_code, 4);
    const auto side = run::read_folder(folder_);
    ASSERT_TRUE(side) << side.error().what;
    EXPECT_EQ(side->name, "vm");
    EXPECT_EQ(side->kind, run::SideKind::kvm);
    EXPECT_FALSE(side->environment.kernel.empty());
    EXPECT_THAT(side->notes, ElementsAre("by a fake")) << "said once";
    EXPECT_EQ(side->build_ids.at("a.out"), "beef");
    ASSERT_THAT(side->runs, SizeIs(3));
    for (int i = 0; i < 3; ++i) {
        const auto* apples = side->runs[i].find("apples");
        ASSERT_NE(apples, nullptr);
        EXPECT_EQ(apples->value, i + 1);
        EXPECT_EQ(apples->unit, "kg");
        EXPECT_EQ(side->runs[i].exit_code, 4);
        EXPECT_FALSE(side->runs[i].intervals.empty()) << "a whole run is one at least";
    }
    EXPECT_EQ(base::read_file(folder_ + "/2/stdout").value(), "hello\n");
    EXPECT_EQ(base::read_file(folder_ + "/2/stderr").value(), "oh\n");
    EXPECT_THAT(said_, SizeIs(3));
    EXPECT_THAT(said_[1], HasSubstr("vm: run 2 of 3"));
}

TEST_F(MeasuredSide, ARunThatASignalEndedIsTheLast) {
    const Outcome outcome = measure("kill -TERM $$");
    EXPECT_EQ(outcome.exit_code, 128 + 15);
    EXPECT_THAT(run::read_folder(folder_)->runs, SizeIs(1));
}

// What was finished before stays.
TEST_F(MeasuredSide, ARunThatPrintsTooMuchEndsIt) {
    plan_.output_limit_mb = 0.1;
    const Outcome outcome =
        measure("echo >> $1/ran; if [ $(wc -l < $1/ran) = 2 ]; then exec yes; fi");
    ASSERT_TRUE(outcome.error);
    EXPECT_THAT(outcome.error->what, HasSubstr("printed more than 0.1 MB and was killed"));
    EXPECT_THAT(run::read_folder(folder_)->runs, SizeIs(1));
}

TEST_F(MeasuredSide, ARunThatTakesTooLongEndsIt) {
    plan_.timeout_s = 0.2;
    const Outcome outcome = measure("sleep 1000");
    ASSERT_TRUE(outcome.error);
    EXPECT_THAT(outcome.error->what, HasSubstr("did not end within 0.2 s"));
    EXPECT_FALSE(run::is_folder(folder_));
}

TEST_F(MeasuredSide, TheProgramBesideIsAccusedOnceIfItEnds) {
    plan_.co_run = "false";
    ASSERT_FALSE(measure("sleep 0.1").error);
    const auto side = run::read_folder(folder_);
    ASSERT_TRUE(side);
    EXPECT_EQ(side->co_run, "false");
    ASSERT_THAT(side->notes, SizeIs(2));
    EXPECT_THAT(side->notes[1], HasSubstr("false did not run beside all the time"));
}

TEST_F(MeasuredSide, AFolderInUseIsLeftAlone) {
    fs::create_directories(folder_ + "/mine");
    const Outcome outcome = measure("true");
    ASSERT_TRUE(outcome.error);
    EXPECT_THAT(outcome.error->what, HasSubstr("not empty"));
    EXPECT_EQ(made_, 0);
}

}  // namespace
}  // namespace ringside::measure
