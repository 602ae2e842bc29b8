// What a measured command prints, as files of its run, and how much it may print and how long it
// may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/fd.h"
#include "cli/measurer.h"
#include "cli/run_command.h"

namespace ringside::cli {

class RunOutputs {
  public:
    // Creates FOLDER/stdout and FOLDER/stderr, both with `prefix` before their names.
    static Result<RunOutputs> create(const std::filesystem::path& folder,
                                     const std::string& prefix);

    // The command will read nothing, print into the files, and have a process group of its own.
    void connect(CommandHooks& hooks) const;

    // Why the command of the plan is to be ended, having lived so long; if it is.
    std::optional<Error> beyond_limits(const MeasurePlan& plan, double lived_s) const;

  private:
    base::Fd nothing_;
    base::Fd out_;
    base::Fd err_;
};

}  // namespace ringside::cli
