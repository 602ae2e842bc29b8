// What `perf report --stdio` prints, read back: one run of a side.
#pragma once

#include <string_view>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::compare {

// Whether it begins like one.
bool looks_like_perf_report(std::string_view text);

struct PerfReport {
    run::Run run;
    run::Environment environment;  // of --header, if it is there
};

// Any sort order that has symbols or modules, with or without -n, --show-total-period, --children
// (of which the own share counts) and call graphs (which are skipped). Where the text has shares
// and the number of events, values are counts; else shares of 100. Fails without a single table.
Result<PerfReport> parse_perf_report(std::string_view text);

}  // namespace ringside::compare
