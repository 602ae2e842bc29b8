// How a command of the user's, or a verb, ended.
#pragma once

#include <optional>
#include <utility>

#include <ringside/result.h>

namespace ringside::base {

// Our own failures, as env, timeout and docker report theirs.
constexpr int exit_failure = 125;
constexpr int exit_cannot_execute = 126;
constexpr int exit_not_found = 127;

// The exit code, and the error that main.cpp shall print.
struct Outcome {
    Outcome(int code) : exit_code(code) {}
    Outcome(Error failure) : exit_code(exit_failure), error(std::move(failure)) {}
    Outcome(int code, Error failure) : exit_code(code), error(std::move(failure)) {}

    int exit_code;
    std::optional<Error> error;
};

}  // namespace ringside::base
