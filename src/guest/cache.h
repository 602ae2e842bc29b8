// What of the test VMs lies in the cache, and how to be rid of it.
#pragma once

#include <cstdint>

#include <ringside/result.h>

#include "guest/files.h"
#include "guest/kinds.h"

namespace ringside::guest {

// Whether a machine of this kind boots without fetching or building anything.
bool is_set_up(const fs::path& cache, const Kind& kind);

// The bytes of packages and of what was made of them, all kinds together.
std::uint64_t cached_bytes(const fs::path& cache);

// Removes these, and what was found out about KVM; anything else there is left alone.
// Waits for a download that is under way.
Result<void> clean_cache(const fs::path& cache);

}  // namespace ringside::guest
