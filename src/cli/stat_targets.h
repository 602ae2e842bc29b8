// Whom `ringside stat` counts: the options that choose, made into places.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/stat_request.h"

namespace ringside::cli {

class StatTargets {
  public:
    void declare(Options& options);

    // Checks that the options go together and that what they name exists.
    Result<void> check(bool with_command);

    // Of the command itself; else of what the options name.
    bool of_command() const { return kind_ == Kind::command; }
    // `child` is the command's process, if that is what is counted.
    Result<std::vector<StatPlace>> places(int child) const;
    // The same for the time, which is not told apart by place.
    std::vector<Target> time_targets(int child) const;
    // The one process whose end ends the measurement; 0 if there are none or several.
    int awaited_process() const;
    // "process 17", "the machine", for people.
    std::string subject() const;

  private:
    enum class Kind { command, processes, threads, cpus, system, cgroup };

    Result<void> choose_kind(bool with_command);
    Result<void> check_breakdown() const;
    Result<void> check_existence() const;
    Result<std::vector<StatPlace>> threads_of_processes() const;

    std::string pids_text_;
    std::string tids_text_;
    std::string cpus_text_;
    std::string cgroup_;
    bool system_ = false;
    bool per_thread_ = false;
    bool per_cpu_ = false;

    Kind kind_ = Kind::command;
    std::vector<int> ids_;   // of processes or threads
    std::vector<int> cpus_;  // of the machine, or those that were named
};

}  // namespace ringside::cli
