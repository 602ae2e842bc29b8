// Starting other programs: always from an argument vector, never through a shell.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <ringside/result.h>

#include "base/confinement.h"
#include "base/fd.h"

namespace ringside::base {

struct SpawnOptions {
    // Descriptors that become the child's 0, 1 and 2; -1 keeps ours.
    int stdin_fd = -1;
    int stdout_fd = -1;
    int stderr_fd = -1;
    // Added to, or replacing, what is in our environment: "NAME=value".
    std::vector<std::string> extra_env;
    // Only that is its environment, and nothing of ours.
    bool clean_env = false;
    // Absent: the child keeps all our rights.
    std::optional<Confinement> confinement;
    // Descriptors that the program keeps under their numbers, besides those three.
    std::vector<int> kept_fds;
    // A group of its own, so that a signal to it reaches all it started and Ctrl-C does not.
    bool own_group = false;
    // The child is killed when the thread that started it ends, however that happens.
    bool die_with_parent = true;
    // A file that the child writes, its standard output included, grows no larger: the kernel ends
    // it by SIGXFSZ. Not for a pipe.
    std::optional<std::uint64_t> most_file_bytes;
    // The child waits before exec until Child::release() is called.
    bool held = false;
};

struct ExitStatus {
    int code = 0;    // as given to exit(); meaningful if signal is 0
    int signal = 0;  // the signal that ended it, or 0
    // CPU time of it and of the children it waited for, as the kernel charges it.
    std::uint64_t cpu_ns = 0;

    // As a shell reports it: the code, or 128 + signal.
    int shell_code() const { return signal != 0 ? 128 + signal : code; }
};

// A started program. Destroying it kills and reaps it, so that no path leaves one behind.
class Child {
  public:
    Child(Child&& other) noexcept
        : program_(std::move(other.program_)),
          pid_(std::exchange(other.pid_, -1)),
          own_group_(other.own_group_),
          hold_(std::move(other.hold_)),
          exec_errors_(std::move(other.exec_errors_)) {}
    Child& operator=(Child&&) = delete;
    ~Child();

    pid_t pid() const { return pid_; }
    // Lets a held child go on to exec. Fails as spawn() does when the program cannot be executed.
    Result<void> release();
    // Blocks until it ends, and leaves it there as a zombie, whose /proc can still be read.
    Result<void> await_end() const;
    // Blocks until it ends. Call once.
    Result<ExitStatus> wait();
    // nullopt while it still runs.
    Result<std::optional<ExitStatus>> poll();
    // Waits at most `limit`; nullopt if it still runs then.
    Result<std::optional<ExitStatus>> wait_for(std::chrono::milliseconds limit);
    void send_signal(int signal) const;

  private:
    friend Result<Child> spawn(const std::vector<std::string>&, const SpawnOptions&);

    Child(std::string program, pid_t pid, bool own_group, Fd hold, Fd exec_errors)
        : program_(std::move(program)),
          pid_(pid),
          own_group_(own_group),
          hold_(std::move(hold)),
          exec_errors_(std::move(exec_errors)) {}
    // Reads whether exec went well; reaps the child if it did not.
    Result<void> confirm_exec();

    std::string program_;
    pid_t pid_;
    bool own_group_;
    Fd hold_;         // a byte written here lets a held child go on
    Fd exec_errors_;  // the child's errno if exec fails, closed by exec if it does not
};

// Fails with not_found or not_permitted when argv[0] cannot be executed; a held child reports that
// at its release.
Result<Child> spawn(const std::vector<std::string>& argv, const SpawnOptions& options = {});

// Where execvp() would find `name`: in PATH, or as it is if it has a slash.
std::optional<std::string> find_executable(const std::string& name);

struct CommandOutput {
    ExitStatus status;
    std::string stdout_text;
    std::string stderr_text;
};

// Runs to the end with empty standard input and both outputs captured, which `options` does not
// change; killed after `limit`.
Result<CommandOutput> run(const std::vector<std::string>& argv,
                          std::chrono::milliseconds limit = std::chrono::minutes(10),
                          SpawnOptions options = {});

}  // namespace ringside::base
