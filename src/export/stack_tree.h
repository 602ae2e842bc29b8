// The stacks of one event as a tree without the profile: what can be joined with those of others
// and drawn.
#pragma once

#include "model/stacks.h"
#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::exports {

// `profile` was loaded with stacks.
model::StackTree stack_tree(const profile::Profile& profile, const profile::Naming& naming,
                            std::size_t event);

}  // namespace ringside::exports
