// A recording from its opening to its finished file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/sys_root.h"
#include "record/settings.h"
#include "record/store.h"

namespace ringside::record {

struct Progress {
    Tally tally;
    std::uint64_t elapsed_ns = 0;
    std::optional<Error> failure;  // nothing is recorded any more, for instance of a full disk
};

struct RecordedEvent {
    std::string name;
    std::uint64_t lost = 0;
};

// Time that threads did not execute, by its reason.
struct Waited {
    std::string name;
    std::uint64_t total_ns = 0;
};

struct Summary {
    Progress progress;
    std::vector<RecordedEvent> events;
    std::vector<Waited> waits;               // with Settings::off_cpu
    std::optional<std::uint64_t> stolen_ns;  // from all recorded CPUs together, if that is known
};

class Recorder {
  public:
    // Opens all events and prepares the file, which has its name only once begin() was called: a
    // recording that cannot begin leaves nothing behind and an old file as it was.
    static Result<std::unique_ptr<Recorder>> open(const base::SysRoot& root, Settings settings);
    virtual ~Recorder() = default;

    // What was asked for and could not be had, and what is recorded in its place.
    virtual const std::vector<std::string>& notes() const = 0;
    virtual Result<void> begin() = 0;
    // From any thread.
    virtual Progress progress() const = 0;
    // Ends sampling and completes the file; call once, after begin().
    virtual Result<Summary> finish() = 0;
};

}  // namespace ringside::record
