// What is to be measured on a side of a comparison.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "measure/events.h"

namespace ringside::measure {

// What to measure, the same on every side.
struct Plan {
    std::vector<std::string> events;   // lists to count; none: what can count there
    std::vector<std::string> sampled;  // lists to sample by; none: cpu-clock
    double runs = 5;
    double frequency_hz = 499;
    double timeout_s = 600;                // for one run
    double output_limit_mb = 256;          // for what one run prints
    bool soft = false;                     // run it once more, counted by the soft PMU
    std::vector<std::string> soft_events;  // lists of these; none: the usual ones
    std::string soft_sample;               // sample functions by it there; may be empty
    double soft_period = 0;                // every so many; 0: what is usual for it
    bool no_trace = false;  // do without BPF, which tells all parts of the time apart
    std::string co_run;     // a program that runs beside, its words between blanks
    std::vector<std::string> command;

    bool wants_soft() const { return soft || !soft_events.empty() || !soft_sample.empty(); }
    Result<void> check() const;
    // The same plan as words of `ringside measure`, the command left out.
    std::vector<std::string> words() const;
};

// Those of the plan, or those that can count there.
Result<std::vector<AskedEvent>> asked_events(const Plan& plan);
// Those of the plan, or those that most programs are asked for.
Result<std::vector<AskedEvent>> asked_soft_events(const Plan& plan);

// `words`, with blanks between, as a command that runs them again and again until they fail.
// Empty for no words. Fails when there is no such program.
Result<std::vector<std::string>> co_run_command(const std::string& words);

}  // namespace ringside::measure
