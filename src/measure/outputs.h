// What a measured command prints, as files of its run, and how much it may print and how long it
// may take.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/fd.h"
#include "measure/command.h"
#include "measure/plan.h"

namespace ringside::measure {

class RunOutputs {
  public:
    // Creates FOLDER/stdout and FOLDER/stderr, both with `prefix` before their names. The plan must
    // live as long as this.
    static Result<RunOutputs> create(const std::filesystem::path& folder, const std::string& prefix,
                                     const Plan& plan);

    // The command will read nothing, print into the files, and have a process group of its own. One
    // that hangs or prints without end is ended, with all it started, and that is the outcome.
    // `hooks` must not outlive this.
    void connect(CommandHooks& hooks);

    // How long the command has lived so far.
    double lived_s() const;

  private:
    explicit RunOutputs(const Plan& plan) : plan_(&plan) {}
    std::optional<Error> beyond_limits() const;

    const Plan* plan_;
    base::Fd nothing_;
    base::Fd out_;
    base::Fd err_;
    std::chrono::steady_clock::time_point started_;
    pid_t command_ = 0;
    std::optional<Error> stopped_;  // why we ended it
};

}  // namespace ringside::measure
