// Sides of a comparison from files: folders of `ringside measure`, perf.data, the text of perf
// report, CSV.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "run/run.h"

namespace ringside::cli {

// "[NAME=]PATH[,PATH...]": several paths are repeats of one side. A folder that `ringside compare`
// kept, and a table that it wrote (--csv), is all its sides. What exists under its whole name is
// one path, whatever it holds. The stacks of a recording are read if asked for: that takes its
// time.
Result<std::vector<run::Side>> read_sides(const std::string& text, bool with_stacks);

}  // namespace ringside::cli
