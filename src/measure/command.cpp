#include "measure/command.h"

#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "measure/waiting.h"

namespace ringside::measure {

namespace {

// While the command runs, the terminal's Ctrl-C is for the command: it gets the signal itself as a
// member of our process group, and we live on to report. What is sent to us alone is handed on:
// SIGTERM, and SIGHUP unless we were told to ignore it; to a group of its own, SIGINT as well.
class ForegroundSignals {
  public:
    ForegroundSignals(pid_t child, bool own_group) {
        target = own_group ? -child : child;
        struct sigaction forward {};
        forward.sa_handler = [](int signal) {
            if (target != nobody) ::kill(target, signal);
        };
        forward.sa_flags = SA_RESTART;
        ::sigaction(SIGTERM, &forward, &old_term_);
        ::sigaction(SIGHUP, &forward, &old_hangup_);
        if (old_hangup_.sa_handler == SIG_IGN) ::sigaction(SIGHUP, &old_hangup_, nullptr);
        if (!own_group) forward.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &forward, &old_int_);
    }
    ForegroundSignals(const ForegroundSignals&) = delete;
    ForegroundSignals& operator=(const ForegroundSignals&) = delete;
    ~ForegroundSignals() {
        ::sigaction(SIGINT, &old_int_, nullptr);
        ::sigaction(SIGHUP, &old_hangup_, nullptr);
        ::sigaction(SIGTERM, &old_term_, nullptr);
    }

    // Before it is waited for: then its number may be somebody else's. What comes later finds us
    // reporting, which is what it would have led to.
    static void forget() { target = nobody; }

  private:
    static constexpr pid_t nobody = 0;
    // A signal handler has no other way to know; there is one foreground command at a time.
    static inline volatile pid_t target = nobody;
    struct sigaction old_int_ {};
    struct sigaction old_hangup_ {};
    struct sigaction old_term_ {};
};

}  // namespace

Outcome run_command(const std::vector<std::string>& argv, const CommandHooks& hooks) {
    if (argv.empty()) {
        return base::fail(ErrorCode::bad_input, "no command to run", "give one after --");
    }
    base::SpawnOptions options;
    options.held = true;
    options.die_with_parent = false;
    options.extra_env = hooks.extra_env;
    options.stdin_fd = hooks.stdin_fd;
    options.stdout_fd = hooks.stdout_fd;
    options.stderr_fd = hooks.stderr_fd;
    options.own_group = hooks.own_group;
    auto child = base::spawn(argv, options);
    if (!child) return child.error();
    if (hooks.before) {
        if (auto ready = hooks.before(child->pid()); !ready) return ready.error();
    }
    const ForegroundSignals signals(child->pid(), hooks.own_group);
    if (auto started = child->release(); !started) {
        const bool missing = started.error().code == ErrorCode::not_found;
        return Outcome(missing ? base::exit_not_found : base::exit_cannot_execute, started.error());
    }
    if (hooks.started) {
        if (auto done = hooks.started(); !done) return done.error();
    }
    if (hooks.tick_every.count() > 0) {
        if (auto ticked = tick_until_end(child->pid(), hooks.tick_every, hooks.tick); !ticked) {
            return ticked.error();
        }
    }
    if (auto over = child->await_end(); !over) return over.error();
    if (hooks.ended) hooks.ended();
    ForegroundSignals::forget();
    const auto status = child->wait();
    if (!status) return status.error();
    if (hooks.after) {
        if (auto done = hooks.after(*status); !done) return done.error();
    }
    return status->shell_code();
}

}  // namespace ringside::measure
