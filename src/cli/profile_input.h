// What every verb that reads a recorded profile accepts.
#pragma once

#include <string>

#include "cli/options.h"
#include "profile/symbolize.h"

namespace ringside::cli {

struct ProfileInput {
    std::string file = "perf.data";
    std::string kallsyms = "/proc/kallsyms";
    std::string guest_kallsyms;
    std::string symfs;
    bool raw_names = false;

    void declare(Options& options);
    profile::SymbolSources sources() const;
    // To stderr, one line each.
    void print_warnings(const std::string& who, const profile::Profile& profile) const;
};

}  // namespace ringside::cli
