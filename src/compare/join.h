// Sides joined into one table: by event, then by function. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "compare/names.h"
#include "compare/per.h"
#include "compare/ratio.h"
#include "run/run.h"

namespace ringside::compare {

// One side's part of a row.
struct Cell {
    std::vector<double> values;  // one for each run in which it could be measured
    CounterState state = CounterState::ok;
    std::string reason;  // if not ok
    std::string name;    // what this side calls the function, where that differs from the row's

    bool ok() const { return state == CounterState::ok; }
    std::optional<double> mean() const;
    double deviation() const;  // of one run from the mean
};

struct Row {
    std::string event;
    std::string unit;
    std::string module;  // these are empty for the event as a whole
    std::string symbol;
    bool in_kernel = false;
    bool resolved = true;
    double grain = 0;           // the step in which its values come
    std::vector<Cell> cells;    // one for each side
    std::vector<Ratio> ratios;  // of each side to the first; that of the first has nothing in it
};

struct Comparison {
    run::Per per = run::Per::run;
    std::vector<Row> events;      // counts and times
    std::vector<Row> functions;   // heaviest first, event by event
    std::vector<Row> unresolved;  // addresses without a name, module by module
    // All of an event that was sampled, by side: the mean over its runs, 0 where it was not.
    std::map<std::string, std::vector<double>> wholes;
};

// A profile of a whole machine has some thousand functions. Each row costs some 10 kB where it is
// shown, so that a report of a table of 2 MB stays below 1 GB.
inline constexpr std::size_t most_rows = 65'536;

// At least one side, each with at least one run. Fails where `per` divides by what a side has not
// measured.
Result<Comparison> join(const std::vector<run::Side>& sides, run::Per per = run::Per::run,
                        const NameRules& rules = NameRules::built_in());

}  // namespace ringside::compare
