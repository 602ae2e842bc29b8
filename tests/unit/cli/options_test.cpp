#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OptionsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        options_.flag("-v, --verbose", verbose_, "more");
        options_.text("-o, --output", "FILE", output_, "where");
        options_.texts("--put", "SRC:DST", puts_, "files");
        options_.number("--timeout", "S", timeout_, "limit");
        options_.optional_text("--icount", "SHIFT", icount_, "deterministic");
    }

    // Empty if all went well, else the message.
    std::string parse(const std::vector<std::string>& arguments) {
        const auto parsed = options_.parse(arguments, help_);
        return parsed ? "" : parsed.error().what;
    }

    Options options_;
    bool verbose_ = false;
    bool help_ = false;
    std::string output_;
    std::vector<std::string> puts_;
    double timeout_ = 0;
    std::optional<std::string> icount_;
};

TEST_F(OptionsTest, TakesEveryKind) {
    EXPECT_EQ(parse({"-v", "-o", "f", "--put", "a:b", "--put=c:d", "--timeout", "2.5"}), "");
    EXPECT_TRUE(verbose_);
    EXPECT_EQ(output_, "f");
    EXPECT_THAT(puts_, ElementsAre("a:b", "c:d"));
    EXPECT_EQ(timeout_, 2.5);
    EXPECT_FALSE(icount_);
}

TEST_F(OptionsTest, AnOptionalValueOnlyComesWithAnEqualsSign) {
    EXPECT_EQ(parse({"--icount", "-v"}), "");
    EXPECT_EQ(icount_, "");
    EXPECT_TRUE(verbose_);
    EXPECT_EQ(parse({"--icount=3"}), "");
    EXPECT_EQ(icount_, "3");
}

TEST_F(OptionsTest, SaysWhatIsWrong) {
    EXPECT_EQ(parse({"--nope"}), "unknown option: --nope");
    EXPECT_EQ(parse({"-o"}), "-o requires FILE");
    EXPECT_EQ(parse({"--timeout", "soon"}), "--timeout requires a number, not soon");
    EXPECT_EQ(parse({"--verbose=1"}), "--verbose takes no value");
    EXPECT_EQ(parse({"word"}), "unexpected argument: word");
}

TEST_F(OptionsTest, OperandsComeInOrder) {
    std::string kind;
    std::string rest;
    options_.operand("KIND", kind, "which", true);
    options_.operand("REST", rest, "more", false);
    EXPECT_EQ(parse({}), "KIND is missing");
    EXPECT_EQ(parse({"x86", "-v", "y"}), "");
    EXPECT_EQ(kind, "x86");
    EXPECT_EQ(rest, "y");
}

TEST_F(OptionsTest, ACommandKeepsItsOwnOptions) {
    std::vector<std::string> command;
    options_.command(command);
    EXPECT_EQ(parse({"-v", "ls", "-l", "--help"}), "");
    EXPECT_THAT(command, ElementsAre("ls", "-l", "--help"));
    EXPECT_FALSE(help_);
    EXPECT_EQ(parse({"--", "-odd", "--"}), "");
    EXPECT_THAT(command, ElementsAre("-odd", "--"));
}

TEST_F(OptionsTest, HelpNeedsNothingElse) {
    std::string kind;
    options_.operand("KIND", kind, "which", true);
    EXPECT_EQ(parse({"--help"}), "");
    EXPECT_TRUE(help_);
    EXPECT_THAT(options_.table(), HasSubstr("--icount[=SHIFT]"));
    EXPECT_THAT(options_.usage(), HasSubstr("KIND"));
}

}  // namespace
}  // namespace ringside::cli
