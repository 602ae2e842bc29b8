#include "places/place.h"

#include <fstream>

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/process.h"
#include "base/scratch_dir.h"
#include "run/folder.h"

namespace ringside::places {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(QuotedForShell, AShellReadsTheSameWords) {
    const std::vector<std::string> words{"printf", "%s|",  "it's", "$HOME", "a  b", "\"",
                                         "\\",     "`id`", "",     "*",     "\n;"};
    const auto output = base::run({"sh", "-c", quoted_for_shell(words)});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->stdout_text, "it's|$HOME|a  b|\"|\\|`id`||*|\n;|");
}

TEST(PlaceAddress, PlacesToMeasure) {
    using Kind = PlaceAddress::Kind;
    EXPECT_EQ(PlaceAddress::parse("a", "native")->kind, Kind::native);
    EXPECT_EQ(PlaceAddress::parse("a", "guest")->kind, Kind::guest);
    const auto ssh = PlaceAddress::parse("a", "ssh:me@host");
    ASSERT_TRUE(ssh);
    EXPECT_EQ(ssh->where, "me@host");
    const auto box = PlaceAddress::parse("a", "box:arm64-kvm/inner");
    ASSERT_TRUE(box);
    EXPECT_EQ(box->where, "arm64-kvm");
    EXPECT_TRUE(box->inner);
    for (const char* bad : {"", "ssh:", "ssh:-oProxyCommand=x", "box:moon", "box:", "Native"}) {
        EXPECT_FALSE(PlaceAddress::parse("a", bad)) << bad;
    }
}

// Always the same number of runs, without a program; then it ends as it is told to.
class Fake final : public Place {
  public:
    Fake(std::string name, int runs, Outcome outcome)
        : Place(std::move(name)), runs_(runs), outcome_(std::move(outcome)) {}

    Outcome run(const Plan& plan, const std::string& folder) override {
        run::Side side;
        side.name = name();
        side.kind = run::SideKind::tcg;
        side.command = plan.command;
        auto writer = run::FolderWriter::create(folder, side);
        EXPECT_TRUE(writer) << folder;
        for (int i = 0; i < runs_; ++i) {
            run::Run run;
            run.counts.emplace_back().name = "apples";
            run.counts.back().value = i;
            EXPECT_TRUE(writer->add(run));
        }
        return outcome_;
    }

  private:
    int runs_;
    Outcome outcome_;
};

class MeasureAll : public ::testing::Test {
  protected:
    void SetUp() override {
        auto scratch = base::ScratchDir::make("ringside-places-test");
        ASSERT_TRUE(scratch);
        scratch_.emplace(std::move(*scratch));
        plan_.command = {"./solver"};
    }
    void add(const std::string& name, int runs, Outcome outcome) {
        places_.push_back(std::make_unique<Fake>(name, runs, std::move(outcome)));
    }
    Outcome measure() { return measure_all(places_, plan_, scratch_->path(), sides_); }

    std::optional<base::ScratchDir> scratch_;
    Plan plan_;
    Places places_;
    std::vector<run::Side> sides_;
};

TEST_F(MeasureAll, MeasuresInOnePlaceAfterTheOther) {
    add("native", 2, 0);
    add("a/../vm", 3, 7);
    add("third", 1, 8);
    const Outcome outcome = measure();
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(outcome.exit_code, 7) << "the first that is not 0";
    ASSERT_THAT(sides_, SizeIs(3));
    EXPECT_THAT(sides_[0].runs, SizeIs(2));
    EXPECT_EQ(sides_[1].name, "a/../vm");
    EXPECT_EQ(sides_[1].runs[2].find("apples")->value, 2);
    EXPECT_THAT(sides_[1].command, ElementsAre("./solver"));
    EXPECT_TRUE(run::is_folder((scratch_->path() / "2-a_.._vm").string())) << "no way out of it";
}

TEST_F(MeasureAll, APlaceThatBrokeOffCountsWithTheRunsItFinished) {
    add("a", 1, 0);
    add("b", 2, base::fail(ErrorCode::io, "the line went dead"));
    const Outcome outcome = measure();
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(outcome.exit_code, base::exit_failure);
    ASSERT_THAT(sides_, SizeIs(2));
    EXPECT_THAT(sides_[1].notes, ElementsAre("broke off: the line went dead"));
}

TEST_F(MeasureAll, APlaceWithoutARunIsTheOutcome) {
    add("a", 0, base::fail(ErrorCode::io, "no way there"));
    add("b", 1, 0);
    const Outcome broken = measure();
    ASSERT_TRUE(broken.error);
    EXPECT_EQ(broken.error->what, "no way there");
    EXPECT_THAT(sides_, IsEmpty());
    places_.clear();
    add("c", 0, 3);
    const Outcome silent = measure();
    ASSERT_TRUE(silent.error);
    EXPECT_THAT(silent.error->what, HasSubstr("c: nothing was measured"));
    EXPECT_EQ(silent.exit_code, 3);
}

TEST_F(MeasureAll, WhoIsInterruptedGoesNoFurther) {
    add("a", 1, base::fail(ErrorCode::interrupted, "stopped"));
    add("b", 1, 0);
    const Outcome outcome = measure();
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, ErrorCode::interrupted);
    EXPECT_THAT(sides_, IsEmpty());
}

}  // namespace
}  // namespace ringside::places
