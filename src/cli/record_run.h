// A recording as verbs make one: around a command, or until the targets end or somebody interrupts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sys_root.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "measure/samples.h"
#include "record/recorder.h"

namespace ringside::cli {

// What the verb's options leave here is recorded by run().
struct RecordRequest {
    base::SysRoot root{};
    OutputChoice output{};
    record::Settings settings{};  // all but targets, version and command line
    measure::TargetWords targets{};
    std::vector<std::string> command{};
};

class RecordRun {
  public:
    // `verb` is its name, for messages. The request must live as long as this object.
    RecordRun(std::string verb, RecordRequest& request)
        : verb_(std::move(verb)), request_(request) {}

    Outcome run();

  private:
    Result<void> report(const measure::Samples& samples, std::optional<int> exit_code) const;

    std::string verb_;
    RecordRequest& request_;
};

}  // namespace ringside::cli
