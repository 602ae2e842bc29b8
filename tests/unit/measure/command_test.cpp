#include "measure/command.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringside::measure {
namespace {

// A process with this number, which sleeps; -1 with errno where it cannot be had.
pid_t process_called(pid_t pid) {
    clone_args arguments{};
    arguments.exit_signal = SIGCHLD;
    arguments.set_tid = reinterpret_cast<std::uintptr_t>(&pid);
    arguments.set_tid_size = 1;
    const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        // With everybody's ways of ending, whatever our handlers are.
        for (const int signal : {SIGTERM, SIGHUP, SIGINT}) ::signal(signal, SIG_DFL);
        while (true) ::pause();
    }
    return static_cast<pid_t>(child);
}

// Its number may be given to another process as soon as it was waited for.
TEST(RunCommand, SignalsGoToNobodyOnceTheCommandWasWaitedFor) {
    pid_t command = 0;
    pid_t other = 0;
    int other_errno = 0;
    bool other_lives = false;
    CommandHooks hooks;
    hooks.before = [&](pid_t pid) {
        command = pid;
        return Result<void>();
    };
    hooks.after = [&](const base::ExitStatus&) {
        other = process_called(command);
        other_errno = errno;
        if (other > 0) {
            for (const int signal : {SIGTERM, SIGHUP}) ::kill(::getpid(), signal);
            ::usleep(50'000);  // what was sent to it wrongly arrives
            other_lives = ::waitpid(other, nullptr, WNOHANG) == 0;
            if (other_lives) {
                ::kill(other, SIGKILL);
                ::waitpid(other, nullptr, 0);
            }
        }
        return Result<void>();
    };
    const auto outcome = run_command({"true"}, hooks);
    if (other < 0 && (other_errno == EPERM || other_errno == ENOSYS || other_errno == EEXIST)) {
        GTEST_SKIP() << "cannot have a process of a certain number here: "
                     << std::strerror(other_errno);
    }
    ASSERT_GT(other, 0) << std::strerror(other_errno);
    EXPECT_FALSE(outcome.error);
    EXPECT_TRUE(other_lives) << "it got our SIGTERM";
}

}  // namespace
}  // namespace ringside::measure
