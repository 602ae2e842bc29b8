// One execution of a command, counted and sampled at once. Beside what it returns, its samples and
// what it prints are files in a folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "cli/measurer.h"
#include "cli/run_outputs.h"
#include "cli/stat_panel.h"
#include "cli/stat_time.h"
#include "record/recorder.h"
#include "run/run.h"

namespace ringside::cli {

// One execution of the command.
class MeasuredRun {
  public:
    // With `soft`, the command is executed once more, for the soft PMU's counts.
    MeasuredRun(std::filesystem::path folder, const Session& session,
                std::vector<AskedEvent> events, const MeasurePlan& plan, bool soft)
        : folder_(std::move(folder)),
          session_(session),
          events_(std::move(events)),
          plan_(plan),
          soft_(soft) {}

    Outcome execute();
    const base::ExitStatus& status() const { return status_; }
    std::uint64_t wall() const { return run_.time->clock.real_ns; }
    const run::Run& run() const { return run_; }
    const std::vector<std::string>& notes() const { return notes_; }
    const std::map<std::string, std::string>& build_ids() const { return build_ids_; }

  private:
    Result<void> attach(pid_t pid);
    Result<void> start_recorder(pid_t pid);
    void watch();
    void keep_interval(double lived_s);
    void read_counters();
    Result<void> collect(const base::ExitStatus& status);
    Result<void> collect_profile();
    void count_in_software();

    std::filesystem::path folder_;
    const Session& session_;
    std::vector<AskedEvent> events_;
    const MeasurePlan& plan_;
    bool soft_;

    std::optional<RunOutputs> outputs_;
    pid_t pid_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::optional<Error> stopped_;  // why we ended it
    std::optional<StatPanel> panel_;
    std::optional<TimeKeeper> keeper_;
    std::unique_ptr<record::Recorder> recorder_;
    Result<void> counted_;
    run::Run run_;
    base::ExitStatus status_;
    double kept_until_s_ = 0;
    std::vector<std::string> notes_;
    std::map<std::string, std::string> build_ids_;
};

}  // namespace ringside::cli
