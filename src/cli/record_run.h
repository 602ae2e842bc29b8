// A recording as verbs make one: around a command, or until the targets end or somebody interrupts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys_root.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "cli/record_targets.h"
#include "cli/verb.h"
#include "record/recorder.h"

namespace ringside::cli {

// What the verb's options leave here is recorded by run().
struct RecordRequest {
    base::SysRoot root{};
    OutputChoice output{};
    record::Settings settings{};  // all but targets, version and command line
    RecordTargets targets{};
    std::vector<std::string> command{};
};

class RecordRun {
  public:
    // `verb` is its name, for messages. The request must live as long as this object.
    RecordRun(std::string verb, RecordRequest& request)
        : verb_(std::move(verb)), request_(request) {}

    Outcome run();

  private:
    Outcome record_command();
    Outcome record_until_end();
    Result<void> open(pid_t command);
    Result<void> begin();
    Result<void> finish(std::optional<int> exit_code);

    std::string verb_;
    RecordRequest& request_;
    std::unique_ptr<record::Recorder> recorder_;
    std::optional<ProgressLine> progress_;
};

}  // namespace ringside::cli
