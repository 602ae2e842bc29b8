#include "components/vmware/pseudo_counters.h"

#include <cerrno>
#include <csignal>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::components::vmware {

#if defined(__x86_64__) || defined(__i386__)

std::uint64_t read_pseudo_counter(std::uint32_t index) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (std::uint64_t{high} << 32) | low;
}

Result<void> probe_pseudo_counters() {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        for (const int fault : {SIGILL, SIGSEGV, SIGBUS}) std::signal(fault, SIG_DFL);
        for (const auto& counter : pseudo_counters) read_pseudo_counter(counter.index);
        ::_exit(0);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        return base::fail_errno(errno, "cannot run a child");
    }
    if (!WIFSIGNALED(status)) return {};
    return base::fail(
        ErrorCode::unsupported,
        fmt::format("rdpmc of a pseudo performance counter ends in signal {}", WTERMSIG(status)),
        "set monitor_control.pseudo_perfctr = TRUE for this machine on the host");
}

#else

std::uint64_t read_pseudo_counter(std::uint32_t) {
    return 0;
}

Result<void> probe_pseudo_counters() {
    return base::fail(ErrorCode::unsupported, "pseudo performance counters are of x86 only");
}

#endif

}  // namespace ringside::components::vmware
