#include "trust/user_read_probe.h"

#include <csignal>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mmap.h"
#include "perf/event_fd.h"
#include "perf/ring_buffer.h"
#include "perf/user_read.h"
#include "trust/judge.h"
#include "trust/loops.h"

namespace ringside::trust {

namespace {

constexpr std::uint64_t reads_tried = 2000;
constexpr std::uint64_t iterations = 100'000;

// What the child leaves behind, however it ends.
struct Progress {
    volatile int offered;
    volatile int width_bits;
    volatile std::uint64_t reads;
    volatile std::uint64_t counted;
};

Result<perf::EventFd> open_readable() {
    perf::OpenOptions options;
    options.disabled = false;
    options.config1_extra = perf::lend_to_user_config1;
    model::Event event;
    event.name = "instructions";
    event.code = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0};
    return perf::EventFd::open(model::user_only(event), {}, options);
}

bool offered(const volatile perf_event_mmap_page& page) {
    return page.cap_user_rdpmc != 0 && page.index != 0;
}

std::optional<std::uint64_t> gained(const volatile perf_event_mmap_page& page,
                                    std::uint64_t loop_length) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (!perf::read_user(page, before)) return std::nullopt;
    counted_loop(loop_length);
    if (!perf::read_user(page, after)) return std::nullopt;
    return after - before;
}

// In the child. Only this function may fault.
void read_without_kernel(const volatile perf_event_mmap_page& page, Progress& progress) {
    progress.width_bits = page.pmc_width;
    progress.offered = offered(page);
    if (progress.offered == 0) return;
    for (std::uint64_t i = 0; i < reads_tried; ++i) {
        std::uint64_t unused = 0;
        if (!perf::read_user(page, unused)) return;
        counted_loop(100);
        progress.reads = i + 1;
    }
    const auto empty = gained(page, 1);
    const auto full = gained(page, iterations);
    if (empty && full) progress.counted = *full - *empty;
}

[[noreturn]] void run_child(Progress& progress) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (const int fault : {SIGILL, SIGSEGV, SIGBUS}) std::signal(fault, SIG_DFL);
    const auto fd = open_readable();
    const auto ring = fd ? perf::RingBuffer::map(*fd, 0) : Result<perf::RingBuffer>(fd.error());
    if (ring) read_without_kernel(ring->control(), progress);
    ::_exit(0);
}

}  // namespace

UserReadObservation observe_user_read() {
    UserReadObservation seen;
    seen.expected = (iterations - 1) * loop_instructions;
    // Most machines do not even offer it; that shows without executing the instruction.
    const auto fd = open_readable();
    const auto ring = fd ? perf::RingBuffer::map(*fd, 0) : Result<perf::RingBuffer>(fd.error());
    if (!ring) {
        seen.open_error = ring.error();
        return seen;
    }
    if (!offered(ring->control())) return seen;
    void* const shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        seen.open_error = base::fail_errno(errno, "cannot share memory with a child");
        return seen;
    }
    const base::Mmap memory(shared, sizeof(Progress));
    auto& progress = *static_cast<Progress*>(shared);
    const pid_t child = ::fork();
    if (child == 0) run_child(progress);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        seen.open_error = base::fail_errno(errno, "cannot run a child");
        return seen;
    }
    seen.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    seen.offered = progress.offered != 0;
    seen.width_bits = progress.width_bits;
    seen.reads = progress.reads;
    seen.counted = progress.counted;
    return seen;
}

UserRead judge_user_read(const UserReadObservation& seen) {
    UserRead verdict;
    if (seen.width_bits > 0) verdict.width_bits = seen.width_bits;
    if (seen.open_error) {
        verdict.state = perf::state_of(*seen.open_error);
        verdict.detail = seen.open_error->what;
    } else if (!seen.offered) {
        verdict.state = CounterState::not_permitted;
        verdict.detail = "the kernel lends no counter register to user space";
    } else if (seen.signal != 0) {
        verdict.state = seen.reads == 0 ? CounterState::dead : CounterState::implausible;
        verdict.detail = fmt::format("signal {} after {} good reads, although the kernel offers it",
                                     seen.signal, seen.reads);
    } else {
        const Interval known = with_tolerance({seen.expected, seen.expected});
        const bool right = known.least <= seen.counted && seen.counted <= known.most;
        verdict.state = right ? CounterState::ok : CounterState::implausible;
        verdict.detail = fmt::format("{} reads; {} counted, {} expected", seen.reads,
                                     grouped(seen.counted), grouped(seen.expected));
    }
    return verdict;
}

}  // namespace ringside::trust
