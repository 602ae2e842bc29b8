// A measured value. It is never bare: it has a unit, a state that says whether it can be used, and
// the share of the time that it covers. Passive.
#pragma once

#include <string>

#include <ringside/trust.h>

namespace ringside::model {

struct Measurement {
    std::string name;    // as it was asked for: "page-faults"; parts of the time are "time.user"
    std::string filter;  // of a tracepoint, or empty
    std::string place;   // "CPU 3", "thread 17 (worker)"; empty: all there is, together
    std::string unit;    // "ns", "bytes"; empty for plain counts
    bool metric = false;
    bool soft = false;      // counted by a PMU in software
    bool left_out = false;  // nobody asked for it by name, and here it cannot be counted
    CounterState state = CounterState::ok;
    std::string reason;      // if not ok
    double value = 0;        // to be used if ok; a count has no fraction
    double scale_error = 0;  // one standard deviation; 0 where nothing was scaled
    double running_ratio = 1;

    bool ok() const { return state == CounterState::ok; }
    bool scaled() const { return ok() && running_ratio < 1; }
};

}  // namespace ringside::model
