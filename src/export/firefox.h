// A profile for Firefox Profiler (https://profiler.firefox.com), in its processed format: one track
// for each thread, symbols included.
#pragma once

#include <string>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

// Of one event. `profile` was loaded with keep_timelines().
std::string firefox(const profile::Profile& profile, const profile::Naming& naming,
                    std::size_t event, const std::string& title);

}  // namespace ringside::exports
