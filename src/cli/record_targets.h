// Who is recorded, as typed: -p, -t, -a, -C, --cgroup, or the command itself.
#pragma once

#include <string>
#include <vector>

#include <ringside/result.h>

#include "base/fd.h"
#include "base/sys_root.h"
#include "cli/options.h"
#include "record/settings.h"

namespace ringside::cli {

class RecordTargets {
  public:
    void declare(Options& options);

    // Nothing but the command is recorded.
    bool only_command() const {
        return pids_.empty() && tids_.empty() && cpus_.empty() && cgroup_.empty() && !all_;
    }
    // As -a does.
    void choose_all() { all_ = true; }
    // Threads that can be named, or all of them.
    bool has_threads() const { return cpus_.empty() && cgroup_.empty(); }
    // Fills in the settings' targets; `command` is the process of the command, which waits.
    Result<void> find(const base::SysRoot& root, pid_t command, record::Settings& settings);

    // Whom to wait for when there is no command; none of them for CPUs.
    const std::vector<int>& processes() const { return process_ids_; }
    const std::vector<int>& threads() const { return thread_ids_; }

  private:
    Result<void> read_ids();

    std::string pids_;
    std::string tids_;
    std::string cpus_;
    std::string cgroup_;
    bool all_ = false;
    std::vector<int> process_ids_;
    std::vector<int> thread_ids_;
    base::Fd cgroup_folder_;
};

// The events behind names that are separated by commas; those of "cpu/event=1,umask=2/" are part of
// a name.
Result<std::vector<record::SampledEvent>> find_sampled_events(
    const base::SysRoot& root, const std::vector<std::string>& lists);

}  // namespace ringside::cli
