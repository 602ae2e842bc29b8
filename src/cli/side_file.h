// side.json of a run folder, where it must be changed after it was written.
#pragma once

#include <string>

#include <ringside/result.h>

namespace ringside::cli {

// Only who booted the guest knows how it ran: "kvm" or "tcg".
Result<void> set_side_kind(const std::string& folder, const std::string& kind);
Result<void> set_side_runs(const std::string& folder, int runs);

}  // namespace ringside::cli
