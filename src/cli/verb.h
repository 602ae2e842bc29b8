// What a verb of the `ringside` command is: a name, what it accepts, and what it does. One file a
// verb; verbs.cpp lists them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "cli/options.h"

namespace ringside::cli {

// Our own failures, as env, timeout and docker report theirs.
constexpr int exit_failure = 125;
constexpr int exit_cannot_execute = 126;
constexpr int exit_not_found = 127;

// How a verb ended: the exit code, and the error that main.cpp shall print.
struct Outcome {
    Outcome(int code) : exit_code(code) {}
    Outcome(Error failure) : exit_code(exit_failure), error(std::move(failure)) {}
    Outcome(int code, Error failure) : exit_code(code), error(std::move(failure)) {}

    int exit_code;
    std::optional<Error> error;
};

class Verb {
  public:
    virtual ~Verb() = default;
    // One word, or up to three for a verb below another ("guest run", "kvm stat record").
    virtual std::string name() const = 0;
    virtual std::string summary() const = 0;
    // Whole lines for --help: commands a reader can paste, each with a remark.
    virtual std::string examples() const = 0;
    virtual void declare(Options& options) = 0;
    virtual Outcome run() = 0;
};

using Verbs = std::vector<std::unique_ptr<Verb>>;

Verbs all_verbs();

// Runs the verb that `arguments` (without the program's name) choose; prints --help and --version.
Outcome dispatch(const Verbs& verbs, const std::vector<std::string>& arguments);

}  // namespace ringside::cli
