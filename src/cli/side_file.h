// side.json of a run folder, where it must be changed after it was written.
#pragma once

#include <string>

#include <ringside/result.h>

namespace ringside::cli {

// Only who booted the guest knows how it ran: "kvm" or "tcg".
Result<void> set_side_kind(const std::string& folder, const std::string& kind);
// The program that ran beside the command.
Result<void> set_side_co_run(const std::string& folder, const std::string& words);
Result<void> add_side_note(const std::string& folder, const std::string& note);
Result<void> set_side_runs(const std::string& folder, int runs);

}  // namespace ringside::cli
