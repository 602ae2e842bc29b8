// The verbs, one file each; verbs.cpp puts them in the order of --help.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace ringside::cli {

std::unique_ptr<Verb> make_doctor();
std::unique_ptr<Verb> make_list();

}  // namespace ringside::cli
