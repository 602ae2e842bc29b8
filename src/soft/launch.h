// How a command is run under qemu-user with the soft PMU in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "soft/events.h"

namespace ringside::soft {

struct LaunchOptions {
    std::string plugin;        // the file
    std::string folder;        // where counts go
    std::uint64_t period = 0;  // a sample every so many events of the counter `sampled`
    unsigned sampled = 0;
    bool branches = false;
    bool memory = false;
    bool predictor = false;
    bool caches = false;

    // Switches on what the event needs.
    void want(const Event& event);
    // And samples it.
    void sample(const Event& event, std::uint64_t every);
};

struct Launch {
    std::vector<std::string> command;
    std::vector<std::string> environment;  // "NAME=value"
};

// not_found: there is no such command; not_permitted: it cannot be executed; unsupported: it is for
// a machine that the soft PMU does not know, or runs with other rights, or QEMU is missing.
Result<Launch> plan_launch(const std::vector<std::string>& command, const LaunchOptions& options);

}  // namespace ringside::soft
