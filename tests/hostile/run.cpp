#include "run.h"

#include <ostream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/visible.h"

namespace ringside::hostile {

void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.name;
}

Ended run_bounded(std::vector<std::string> arguments, const std::vector<std::string>& environment) {
    arguments.insert(arguments.begin(), {"sh", "-c", "ulimit -t 10; ulimit -v 1048576; exec \"$@\"",
                                         "sh", RINGSIDE_COMMAND});
    arguments.insert(arguments.begin(), environment.begin(), environment.end());
    arguments.insert(arguments.begin(), "env");
    const auto output = base::run(arguments, std::chrono::minutes(5));
    Ended ended;
    if (!output) {
        ended.err = output.error().what;
        return ended;
    }
    ended.signal = output->status.signal;
    ended.exit_code = output->status.code;
    ended.out = output->stdout_text;
    ended.err = output->stderr_text;
    return ended;
}

void expect_harmless(const Ended& ended, const std::string& what) {
    EXPECT_EQ(ended.signal, 0) << what;
    EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 125) << what << ": " << ended.exit_code;
    EXPECT_EQ(ended.exit_code == 125, ended.out.empty()) << what;
    EXPECT_TRUE(ended.exit_code == 0 || base::contains(ended.err, "ringside:")) << ended.err;
    for (const auto* text : {&ended.out, &ended.err})
        for (const auto line : base::split_lines(*text))
            EXPECT_TRUE(base::is_visible(line)) << what << ": " << base::visible(line);
}

}  // namespace ringside::hostile
