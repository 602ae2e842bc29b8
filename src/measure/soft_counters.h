// The counters of a command that runs under QEMU, with the soft PMU in it: what they count, and
// nothing of its time, which is the emulator's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/stat.h"
#include "base/scratch_dir.h"
#include "measure/engine.h"
#include "measure/events.h"
#include "soft/events.h"
#include "soft/launch.h"
#include "soft/run.h"

namespace ringside::measure {

// A folder for the soft PMU's counts of one run. Programs that change their user count, too.
Result<base::ScratchDir> make_soft_folder();
// The plugin as built or installed.
Result<std::string> find_soft_plugin();

// How a command that cannot be run under it ended: with the exit codes of run_command().
Outcome not_launched(const Error& error);

class SoftCounters final : public Collector {
  public:
    // Without events: those that cost least. Fails on one that the soft PMU does not count.
    static Result<SoftCounters> open(std::vector<AskedEvent> events);

    // Takes samples, too: at every so many of this event.
    void sample(soft::Event event, std::uint64_t period) {
        sampled_ = std::move(event);
        period_ = period;
    }
    // How the command is to be run, for the next measurement.
    Result<soft::Launch> launch(const std::vector<std::string>& command);
    // The same, and it is measured.
    Outcome around(Engine& engine, const std::vector<std::string>& command, CommandHooks hooks,
                   run::Run& run);

    Result<void> attach(pid_t) override { return {}; }
    Result<void> read_interval(run::Interval& interval) override;
    Result<void> end() override;
    // Fails if QEMU ended without having executed anything.
    Result<void> collect(const std::optional<base::ExitStatus>& status, run::Run& run) override;

    const std::vector<AskedEvent>& events() const { return events_; }
    // Where the counts are, until the next measurement.
    const std::string& folder() const { return folder_->path().native(); }
    // "qemu-x86_64", which runs the command.
    const std::string& emulator() const { return emulator_; }
    // How it was counted, for people.
    std::string note() const;

  private:
    SoftCounters() = default;
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

}  // namespace ringside::measure
