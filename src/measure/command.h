// The one way in which a command of the user's is run and measured.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/process.h"

namespace ringside::measure {

// What is done around the command. Those that fail make their error the outcome: before
// its start the command is then not run, later its exit code gives way to ours.
struct CommandHooks {
    // The command exists and waits: attach to `pid`.
    std::function<Result<void>(pid_t pid)> before;
    // It runs: exec went well. If this fails it is killed.
    std::function<Result<void>()> started;
    // While it runs, each time `tick_every` has passed; if that is not 0.
    std::function<void()> tick;
    std::chrono::milliseconds tick_every{0};
    // It ended, and is still there to be asked: it was not waited for yet.
    std::function<void()> ended;
    // It ended, with this status.
    std::function<Result<void>(const base::ExitStatus&)> after;
    // Added to the command's environment: "NAME=value".
    std::vector<std::string> extra_env;
    // Become the command's 0, 1 and 2; -1 keeps ours.
    int stdin_fd = -1;
    int stdout_fd = -1;
    int stderr_fd = -1;
    // The command gets a process group of its own, and with it all it starts gets our signals.
    bool own_group = false;
};

using base::Outcome;

// Runs `argv` in the foreground. SIGINT, SIGTERM and SIGHUP reach the command, and we still report.
// The outcome is the command's exit code (128 + n for signal n), 126 or 127 if it cannot be run,
// 125 if we failed.
Outcome run_command(const std::vector<std::string>& argv, const CommandHooks& hooks);

}  // namespace ringside::measure
