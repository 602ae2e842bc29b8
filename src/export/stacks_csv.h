// Stacks as a table for spreadsheets and data frames: one row for each stack that samples end in.
#pragma once

#include <string>

#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

// Columns event, comm, pid, tid, mode, dso, symbol, samples, period and stack: the functions from
// the outermost inwards, between ";". `profile` was loaded with stacks, pid and tid.
std::string stacks_csv(const profile::Profile& profile, const profile::Naming& naming);

}  // namespace ringside::exports
