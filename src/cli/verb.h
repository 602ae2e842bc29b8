// What a verb of the `ringside` command is: a name, what it accepts, and what it does. One file a
// verb; verbs.cpp lists them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "cli/options.h"

namespace ringside::cli {

using base::exit_cannot_execute;
using base::exit_failure;
using base::exit_not_found;
using base::Outcome;

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
