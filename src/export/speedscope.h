// A profile for speedscope (https://www.speedscope.app/file-format-schema.json): one timeline for
// each event and thread.
#pragma once

#include <string>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

// `profile` was loaded with keep_timelines().
std::string speedscope(const profile::Profile& profile, const profile::Naming& naming,
                       const std::string& title);

}  // namespace ringside::exports
