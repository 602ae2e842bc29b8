// One execution of a command, counted and sampled at once, into a folder (measurer.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/process.h"
#include "cli/measurer.h"
#include "cli/stat_panel.h"
#include "cli/stat_time.h"
#include "model/timeline.h"
#include "record/recorder.h"

namespace ringside::cli {

struct OpenFile {
    base::Fd fd;
    std::uint64_t size_bytes() const;
};

// One execution of the command.
class MeasuredRun {
  public:
    MeasuredRun(std::filesystem::path folder, const Session& session,
                std::vector<AskedEvent> events, const MeasurePlan& plan)
        : folder_(std::move(folder)), session_(session), events_(std::move(events)), plan_(plan) {}

    Outcome execute();
    const base::ExitStatus& status() const { return status_; }
    std::uint64_t wall() const { return wall_ns(*time_); }
    const std::vector<std::string>& notes() const { return notes_; }
    const std::map<std::string, std::string>& build_ids() const { return build_ids_; }

  private:
    Result<void> open_outputs();
    Result<void> attach(pid_t pid);
    Result<void> start_recorder(pid_t pid);
    void watch();
    void take_reading();
    void read_counters();
    Result<void> write(const base::ExitStatus& status);
    Result<void> write_profile();

    std::filesystem::path folder_;
    const Session& session_;
    std::vector<AskedEvent> events_;
    const MeasurePlan& plan_;

    OpenFile out_;
    OpenFile err_;
    pid_t pid_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::optional<Error> stopped_;  // why we ended it
    std::optional<StatPanel> panel_;
    std::optional<TimeKeeper> keeper_;
    std::unique_ptr<record::Recorder> recorder_;
    Result<void> counted_;
    analysis::StatRows rows_;
    std::optional<TimeReport> time_;
    model::Timeline timeline_;
    base::ExitStatus status_;
    std::vector<std::string> notes_;
    std::map<std::string, std::string> build_ids_;
};

}  // namespace ringside::cli
