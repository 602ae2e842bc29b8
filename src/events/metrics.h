// Named formulas over events: PAPI's presets (data/events/presets.csv), metrics
// (data/events/metrics.txt), and what a user defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ringside/result.h>

#include "events/expression.h"

namespace ringside::events {

struct Definition {
    std::string name;
    std::string formula;  // as it was written
    Expression expression;
    std::string unit;
    std::string description;
};

// The time its events were enabled, in a formula.
inline constexpr std::string_view seconds_name = "seconds";

// One definition a line: NAME = EXPRESSION ; UNIT ; DESCRIPTION, the last two may be missing. '#'
// begins a comment. A line "[arm64]" or "[zen4 zen5]" says that what follows is for one of `lines`
// only, "[any]" that it is for all. A name may be defined more than once: the first that can be
// counted is taken. Fails with the line's number.
Result<std::vector<Definition>> parse_definitions(std::string_view text,
                                                  const std::vector<std::string>& lines);

// What was compiled in, for machines of `lines`: "arm64", or "x86" and "intel" or "amd"; and the
// core's design, "zen4" (data/platform/cores.csv).
std::vector<Definition> preset_definitions(const std::vector<std::string>& lines);
std::vector<Definition> metric_definitions(const std::vector<std::string>& lines);

}  // namespace ringside::events
