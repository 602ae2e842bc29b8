// Stacks as lines, "comm;outer;inner 42": what flame graph tools read.
#pragma once

#include <string>

#include "profile/call_tree.h"

namespace ringside::exports {

// One line for each stack that samples end in; the number is their weight.
std::string folded(const profile::CallTree& tree);

}  // namespace ringside::exports
