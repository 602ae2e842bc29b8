// A recording as rows of modules and functions: what a comparison takes of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/stacks.h"
#include "profile/rows.h"
#include "run/run.h"

namespace ringside::measure {

struct FlatProfile {
    profile::Profile profile;
    profile::Naming naming;
    std::vector<profile::Column> columns;
    std::vector<profile::EventRows> rows;  // of events that have samples to them
    std::vector<model::StackTree> stacks;  // of the same events, if asked for
};

Result<FlatProfile> load_flat_profile(const std::string& file, bool with_stacks);

// As samples of a run; `soft`: of the execution that was sampled in software.
void add_profile(const FlatProfile& flat, bool soft, run::Run& run);
// By module, where they are known.
std::map<std::string, std::string> build_ids_of(const FlatProfile& flat);

}  // namespace ringside::measure
