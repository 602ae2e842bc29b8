// `ringside stat --soft`: the counters of a command that runs under QEMU, with the soft PMU in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/stat.h"
#include "base/scratch_dir.h"
#include "cli/soft_command.h"
#include "cli/stat_request.h"
#include "soft/events.h"
#include "soft/run.h"

namespace ringside::cli {

class SoftPanel {
  public:
    // Without events: those that cost least. Fails on one that the soft PMU does not count.
    static Result<SoftPanel> open(std::vector<AskedEvent> events);

    // Takes samples, too: at every so many of this event.
    void sample(soft::Event event, std::uint64_t period) {
        sampled_ = std::move(event);
        period_ = period;
    }
    // How the command is to be run; each time a new measurement begins.
    Result<soft::Launch> begin(const std::vector<std::string>& command);

    // Since the beginning, or since the last interval was read.
    Result<analysis::StatRows> read();
    Result<analysis::StatRows> read_interval();
    // Fails if QEMU ended without having executed anything.
    Result<void> check_ran() const;

    const std::vector<AskedEvent>& events() const { return events_; }
    // Where the counts are, until the next measurement.
    const std::string& folder() const { return folder_->path().native(); }
    // "qemu-x86_64", which runs the command.
    const std::string& emulator() const { return emulator_; }
    // How it was counted, for people.
    std::string note() const;

  private:
    SoftPanel() = default;
    analysis::StatRows rows(const soft::RunCounts& counts) const;

    std::vector<AskedEvent> events_;
    std::vector<soft::Event> found_;  // for each of them
    std::optional<soft::Event> sampled_;
    std::uint64_t period_ = 0;
    std::string plugin_;
    std::optional<base::ScratchDir> folder_;
    std::string emulator_;
    soft::RunCounts last_;
    soft::RunCounts interval_begin_;
};

}  // namespace ringside::cli
