// What a recording verb says while it runs and when it is done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/recorder.h"

namespace ringside::report {

// The line that says how far a recording is.
std::string progress_text(const record::Progress& now);
// One line, and one for each kind of wait.
std::string record_text(const record::Summary& summary, const std::string& file);
std::string record_json(const record::Summary& summary, const std::string& file,
                        const std::vector<std::string>& notes, std::optional<int> exit_code);

}  // namespace ringside::report
