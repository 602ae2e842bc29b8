// What every verb that reads a recorded profile accepts.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "profile/profile.h"
#include "profile/symbolize.h"

namespace ringside::cli {

// Here: ringside.data, which `ringside record` writes, or perf.data; the newer one.
std::string newest_recording();

struct ProfileInput {
    std::string file = newest_recording();
    std::string kallsyms = "/proc/kallsyms";
    std::vector<std::string> guest_kallsyms;
    std::vector<std::string> guest_roots;
    std::string symfs;
    bool raw_names = false;
    bool no_inline = false;

    std::string time;
    std::vector<std::string> comms;
    std::vector<std::string> modules;
    std::vector<std::string> functions;
    std::string pids;
    std::string tids;
    std::string cpus;
    std::string modes;

    void declare(Options& options);
    void declare_filters(Options& options);
    // The window and the filter; what to keep is for the verb to say. Fails on what cannot be read.
    Result<profile::LoadOptions> load_options() const;
    profile::SymbolSources sources() const;
    symbols::Finder finder() const;
    // To stderr, one line each.
    void print_warnings(const std::string& who, const profile::Profile& profile) const;
};

}  // namespace ringside::cli
