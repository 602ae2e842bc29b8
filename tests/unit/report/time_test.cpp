// `ringside time`, and the times that other verbs show.
#include <gtest/gtest.h>

#include "golden.h"
#include "report/time/time_view.h"
#include "times.h"

namespace ringside::report {
namespace {

const std::vector<std::string> timed_command{"make", "-j4"};

TEST(TimeReport, OfACommand) {
    const TimeSplit split = times::split();
    const TimeRun run{timed_command, split, 0};
    golden::expect("time.txt", time_run_text(run));
    golden::expect("time.csv", time_run_csv(run));
    golden::expect("time.json", time_run_json(run));
}

TEST(TimeReport, WithoutAnExitCode) {
    const TimeSplit split;
    const std::vector<std::string> none;
    const TimeRun run{none, split, std::nullopt};
    golden::expect("time_unknown.txt", time_run_text(run));
    golden::expect("time_unknown.csv", time_run_csv(run));
    golden::expect("time_unknown.json", time_run_json(run));
}

TEST(TimeView, OfAMachine) {
    golden::expect("time_machine.txt", time_text(times::machine()) + time_line(times::machine()));
    golden::expect("time_machine.json", values_json(time_values(times::machine())).text() +
                                            time_sources(times::machine()).text());
}

}  // namespace
}  // namespace ringside::report
