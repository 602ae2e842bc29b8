// A profile for Go's pprof: a gzip file that holds one message of its profile.proto.
#pragma once

#include <string>

#include <ringside/result.h>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

// `profile` was loaded with stacks. Every event gives two values to a sample, how many samples and
// what they weigh: so stolen time, where it was recorded, is a value type of its own.
Result<std::string> pprof(const profile::Profile& profile, const profile::Naming& naming);

}  // namespace ringside::exports
