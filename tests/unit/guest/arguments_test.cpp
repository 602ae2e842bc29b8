#include "guest/arguments.h"

#include <gtest/gtest.h>

#include "base/process.h"

namespace ringside::guest {
namespace {

TEST(Arguments, PlainWordsStayReadable) {
    EXPECT_EQ(escape_argument("/usr/bin/perf"), "/usr/bin/perf");
    EXPECT_EQ(escape_argument("--name=a,b:c+d-1_2"), "--name=a,b:c+d-1_2");
}

TEST(Arguments, EverythingElseIsOctal) {
    EXPECT_EQ(escape_argument("a b"), "a\\0040b");
    EXPECT_EQ(escape_argument("$(x)"), "\\0044\\0050x\\0051");
    EXPECT_EQ(escape_argument("\\"), "\\0134");
    EXPECT_EQ(escape_argument("\xff"), "\\0377");
}

TEST(Arguments, OneALine) {
    EXPECT_EQ(escape_arguments({"a", "", "b\nc"}), "a\n\nb\\0012c\n");
}

// The shell of the box has the same printf.
TEST(Arguments, PrintfGivesTheBytesBack) {
    std::string every_byte;
    for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
    const auto output = base::run({"printf", "%b", escape_argument(every_byte)});
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(output->stdout_text, every_byte);
}

}  // namespace
}  // namespace ringside::guest
