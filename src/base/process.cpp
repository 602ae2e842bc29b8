#include "base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/sys_root.h"
#include "base/text.h"

namespace ringside::base {

namespace {

struct Pipe {
    Fd read_end;
    Fd write_end;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (const auto& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::string_view name_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

// Ours, if it is wanted, without the names that are set in addition, and then these.
std::vector<std::string> environment_of(const SpawnOptions& options) {
    const auto& extra = options.extra_env;
    std::vector<std::string> all = extra;
    if (options.clean_env) return all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const bool replaced = std::any_of(extra.begin(), extra.end(), [&](const auto& assignment) {
            return name_of(assignment) == name_of(*entry);
        });
        if (!replaced) all.emplace_back(*entry);
    }
    return all;
}

void use_as(int fd, int target) {
    if (fd < 0) return;
    if (fd == target) {
        ::fcntl(fd, F_SETFD, 0);
    } else {
        ::dup2(fd, target);
    }
}

// Tells our parent why, by errno.
[[noreturn]] void give_up(int error_fd) {
    const int why = errno;
    [[maybe_unused]] const auto written = ::write(error_fd, &why, sizeof why);
    ::_exit(why == ENOENT ? 127 : 126);
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const SpawnOptions& options, pid_t parent, char* const* argv,
                         char* const* env, int hold_fd, int error_fd) {
    if (options.own_group) ::setpgid(0, 0);
    if (options.confinement && !confine(*options.confinement)) give_up(error_fd);
    // Now, because the kernel forgets it when the user changes.
    if (options.die_with_parent) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(125);
    }
    if (options.most_file_bytes) {
        const rlimit most{*options.most_file_bytes, *options.most_file_bytes};
        ::setrlimit(RLIMIT_FSIZE, &most);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    use_as(options.stdin_fd, 0);
    use_as(options.stdout_fd, 1);
    use_as(options.stderr_fd, 2);
    for (const int fd : options.kept_fds) ::fcntl(fd, F_SETFD, 0);
    if (hold_fd >= 0) {
        char go = 0;
        if (::write(error_fd, &go, 1) != 1 || ::read(hold_fd, &go, 1) != 1) ::_exit(125);
    }
    ::execvpe(argv[0], argv, env);
    give_up(error_fd);
}

// The errno of a failed exec, 0 when exec went well (the pipe closed without a word).
int exec_error(int fd) {
    int exec_errno = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &exec_errno, sizeof exec_errno);
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof exec_errno) ? exec_errno : 0;
}

bool is_runnable(pid_t pid) {
    const auto stat = SysRoot().read("/proc/" + std::to_string(pid) + "/stat");
    const auto behind_name = stat ? behind_task_name(*stat) : std::nullopt;
    return behind_name && behind_name->starts_with(" R");
}

// Until a held child has nothing left to do, and sleeps: what it needed to get there, or waited for
// a CPU, is not the program's and must not be measured as if it were.
void await_held(pid_t pid, int ready_fd) {
    char ready = 0;
    while (::read(ready_fd, &ready, 1) < 0 && errno == EINTR) {
    }
    constexpr int enough_turns = 10'000;  // it is not worth more on a machine that is never idle
    for (int i = 0; i < enough_turns && is_runnable(pid); ++i) ::sched_yield();
}

std::uint64_t ns_of(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000u;
}

ExitStatus decode(int wait_status, const rusage& usage) {
    const std::uint64_t cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
    if (WIFSIGNALED(wait_status)) return ExitStatus{0, WTERMSIG(wait_status), cpu_ns};
    return ExitStatus{WEXITSTATUS(wait_status), 0, cpu_ns};
}

bool append_available(Fd& fd, std::string& text) {
    std::array<char, 65536> chunk;
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) fd.reset();
    return static_cast<bool>(fd);
}

// Reads both ends until they close; false when `deadline` passed first.
bool drain(Fd out, Fd err, CommandOutput& output, std::chrono::steady_clock::time_point deadline) {
    while (out || err) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        std::array<pollfd, 2> waits{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0) continue;
        if (waits[0].revents != 0) append_available(out, output.stdout_text);
        if (waits[1].revents != 0) append_available(err, output.stderr_text);
    }
    return true;
}

}  // namespace

Child::~Child() {
    if (pid_ <= 0) return;
    send_signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

Result<void> Child::release() {
    RINGSIDE_ASSERT(hold_);
    const char go = 1;
    if (::write(hold_.get(), &go, 1) != 1) {
        return fail_errno(errno, "cannot start " + program_);
    }
    hold_.reset();
    return confirm_exec();
}

Result<void> Child::confirm_exec() {
    const int error = exec_error(exec_errors_.get());
    exec_errors_.reset();
    if (error == 0) return {};
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    return fail_errno(error, "cannot run " + program_);
}

Result<void> Child::await_end() const {
    RINGSIDE_ASSERT(pid_ > 0);
    siginfo_t unused{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &unused, WEXITED | WNOWAIT) != 0) {
        if (errno != EINTR) {
            return fail_errno(errno, "cannot wait for process " + std::to_string(pid_));
        }
    }
    return {};
}

Result<ExitStatus> Child::wait() {
    RINGSIDE_ASSERT(pid_ > 0);
    int status = 0;
    rusage usage{};
    while (::wait4(pid_, &status, 0, &usage) < 0) {
        if (errno != EINTR)
            return fail_errno(errno, "cannot wait for process " + std::to_string(pid_));
    }
    pid_ = -1;
    return decode(status, usage);
}

Result<std::optional<ExitStatus>> Child::poll() {
    RINGSIDE_ASSERT(pid_ > 0);
    int status = 0;
    rusage usage{};
    const pid_t got = ::wait4(pid_, &status, WNOHANG, &usage);
    if (got < 0) return fail_errno(errno, "cannot wait for process " + std::to_string(pid_));
    if (got == 0) return std::optional<ExitStatus>{};
    pid_ = -1;
    return std::optional<ExitStatus>{decode(status, usage)};
}

Result<std::optional<ExitStatus>> Child::wait_for(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (true) {
        auto status = poll();
        if (!status || status->has_value()) return status;
        if (std::chrono::steady_clock::now() >= deadline) return status;
        ::usleep(2000);
    }
}

void Child::send_signal(int signal) const {
    if (pid_ > 0) ::kill(own_group_ ? -pid_ : pid_, signal);
}

Result<Child> spawn(const std::vector<std::string>& argv, const SpawnOptions& options) {
    RINGSIDE_ASSERT(!argv.empty());
    auto errors = make_pipe();
    if (!errors) return errors.error();
    Pipe hold;
    if (options.held) {
        auto made = make_pipe();
        if (!made) return made.error();
        hold = std::move(*made);
    }
    const auto arguments = pointers_to(argv);
    const auto environment = environment_of(options);
    const auto env = pointers_to(environment);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return fail_errno(errno, "cannot start " + argv[0]);
    if (pid == 0) {
        hold.write_end.reset();
        become(options, parent, arguments.data(), env.data(), hold.read_end.get(),
               errors->write_end.get());
    }
    if (options.own_group) ::setpgid(pid, pid);
    errors->write_end.reset();
    Child child(argv[0], pid, options.own_group, std::move(hold.write_end),
                std::move(errors->read_end));
    if (options.held) {
        await_held(pid, child.exec_errors_.get());
        return child;
    }
    if (auto started = child.confirm_exec(); !started) return started.error();
    return child;
}

std::optional<std::string> find_executable(const std::string& name) {
    if (contains(name, "/")) return name;
    const char* path = std::getenv("PATH");
    for (const auto folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
        std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return std::nullopt;
}

Result<CommandOutput> run(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                          SpawnOptions options) {
    auto out = make_pipe();
    if (!out) return out.error();
    auto err = make_pipe();
    if (!err) return err.error();
    Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    options.stdin_fd = nothing.get();
    options.stdout_fd = out->write_end.get();
    options.stderr_fd = err->write_end.get();
    auto child = spawn(argv, options);
    if (!child) return child.error();
    out->write_end.reset();
    err->write_end.reset();
    CommandOutput output;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    if (!drain(std::move(out->read_end), std::move(err->read_end), output, deadline)) {
        return fail(ErrorCode::timed_out, argv[0] + " did not end in time");
    }
    auto status = child->wait();
    if (!status) return status.error();
    output.status = *status;
    return output;
}

}  // namespace ringside::base
