// Whom a measurement is of: a command that is started, or what runs already.
#pragma once

#include <string>
#include <vector>

#include <ringside/event_set.h>
#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "measure/waiting.h"
#include "record/settings.h"

namespace ringside::measure {

// A part of the report for itself: one thread, one CPU, or all there is.
struct TargetPart {
    std::string label;  // "CPU 3"; empty where there is one only
    Target target;
    bool inherit = false;
};

// As typed: -p, -t, -a, -C, --cgroup; none of them is the command itself.
struct TargetWords {
    std::string pids;
    std::string tids;
    std::string cpus;
    std::string cgroup;
    bool all = false;
    bool per_thread = false;
    bool per_cpu = false;

    bool only_command() const {
        return pids.empty() && tids.empty() && cpus.empty() && cgroup.empty() && !all;
    }
};

class Targets {
  public:
    // Of a command.
    Targets() = default;
    // Fails where the words exclude each other, or what they name does not exist.
    static Result<Targets> parse(const TargetWords& words);

    bool of_command() const { return kind_ == Kind::command; }
    // Threads that can be named, or all of them.
    bool has_threads() const { return kind_ != Kind::cpus && kind_ != Kind::cgroup; }

    // `command` is its process, which waits for its exec; if that is what is measured.
    Result<std::vector<TargetPart>> parts(pid_t command) const;
    // The same, not told apart.
    std::vector<Target> whole(pid_t command) const;
    // Fills in the settings' targets, which need `cgroup` open until the recorder is.
    Result<void> sample(const base::SysRoot& root, pid_t command, record::Settings& settings,
                        base::Fd& cgroup) const;

    // Whom to wait for when there is no command; nobody for CPUs.
    Awaited awaited() const;
    // The one process whose end ends the measurement; 0 if there are none or several.
    int awaited_process() const;
    // "process 17", "the machine", for people.
    std::string subject() const;

  private:
    enum class Kind { command, processes, threads, cpus, system, cgroup };

    Result<void> choose_kind(const TargetWords& words);
    Result<void> read_numbers(const TargetWords& words);
    Result<void> check_breakdown() const;
    Result<void> check_existence() const;
    Result<std::vector<TargetPart>> threads_of_processes() const;

    Kind kind_ = Kind::command;
    std::vector<int> ids_;   // of processes or threads
    std::vector<int> cpus_;  // of the machine, or those that were named
    std::string cgroup_;
    bool per_thread_ = false;
    bool per_cpu_ = false;
};

// "3,17": numbers of processes or threads, none of them 0.
Result<std::vector<int>> parse_ids(std::string_view text, std::string_view what);

}  // namespace ringside::measure
