#include "perf/overflow.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "perf/records.h"

namespace ringside::perf {

namespace {

constexpr std::size_t ring_pages = 4;

}  // namespace

struct OverflowWatch::Work {
    RingBuffer ring;
    Handler handler;
    std::atomic<bool> ended{false};
    Work* next_retired = nullptr;

    void deliver(void* context) {
        while (!ended) {
            const auto record = ring.next();
            if (!record) return;
            if (const auto sample = decode_sample(*record, sample_type))
                handler(sample->ip, context);
        }
    }
};

namespace {

using Work = OverflowWatch::Work;

// Who watches a file descriptor. The signal handler takes no lock and allocates nothing: it counts
// itself in, so that what it works with is not destroyed under it.
struct WatchSlot {
    std::atomic<Work*> work{nullptr};
    std::atomic<int> callers{0};
};

// What ended in its own handler, where nothing may be freed: freed when a later watch begins
// outside of all handlers.
std::atomic<Work*> retired{nullptr};
std::atomic<int> handlers{0};

void retire(Work* work) {
    work->next_retired = retired.load();
    while (!retired.compare_exchange_weak(work->next_retired, work)) {
    }
}

// A handler that still works with one of these was counted before it was retired.
void free_retired() {
    Work* work = retired.exchange(nullptr);
    const bool in_use = handlers.load() != 0;
    while (work != nullptr) {
        Work* const one = std::exchange(work, work->next_retired);
        if (in_use) {
            retire(one);
        } else {
            delete one;
        }
    }
}

// By descriptor, in pieces that are made when they are needed and stay for good.
constexpr std::size_t piece_size = 1024;
using Piece = std::array<WatchSlot, piece_size>;
std::array<std::atomic<Piece*>, 1024> table;

WatchSlot* entry_of(int fd) {
    const auto at = static_cast<std::size_t>(fd);
    if (fd < 0 || at / piece_size >= table.size()) return nullptr;
    Piece* piece = table[at / piece_size].load(std::memory_order_acquire);
    return piece == nullptr ? nullptr : &(*piece)[at % piece_size];
}

WatchSlot* make_entry(int fd) {
    const auto at = static_cast<std::size_t>(fd);
    if (at / piece_size >= table.size()) return nullptr;
    auto& place = table[at / piece_size];
    if (place.load(std::memory_order_acquire) == nullptr) {
        auto made = std::make_unique<Piece>();
        Piece* none = nullptr;
        if (place.compare_exchange_strong(none, made.get())) static_cast<void>(made.release());
    }
    return entry_of(fd);
}

void on_overflow_signal(int, siginfo_t* info, void* context) {
    const int saved_errno = errno;
    handlers.fetch_add(1);
    if (info->si_code > 0) {  // from the kernel, about a descriptor
        if (WatchSlot* entry = entry_of(info->si_fd)) {
            entry->callers.fetch_add(1);
            if (Work* work = entry->work.load()) work->deliver(context);
            entry->callers.fetch_sub(1);
        }
    }
    handlers.fetch_sub(1);
    errno = saved_errno;
}

bool is_default(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
           now.sa_handler == SIG_DFL;
}

void handle(int signal) {
    struct sigaction action {};
    action.sa_sigaction = on_overflow_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

// A real-time signal that nobody uses, because those are queued and say which descriptor they are
// about. When the queue is full the kernel sends SIGIO instead (fcntl(2), F_SETSIG), which would
// end the process.
int install_handler() {
    for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
        if (!is_default(signal)) continue;
        handle(signal);
        if (is_default(SIGIO)) handle(SIGIO);
        return signal;
    }
    return 0;
}

int overflow_signal() {
    static const int chosen = install_handler();
    return chosen;
}

Result<void> send_signals(int fd, pid_t tid, int signal) {
    const f_owner_ex owner{F_OWNER_TID, tid};
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETSIG, signal) != 0 || ::fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
        ::fcntl(fd, F_SETFL, flags | O_ASYNC) != 0) {
        return base::fail_errno(errno, "cannot have overflows signalled");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<OverflowWatch>> OverflowWatch::attach(const EventFd& event, pid_t tid,
                                                             Handler handler) {
    if (::syscall(SYS_tgkill, ::getpid(), tid, 0) != 0) {
        return base::fail(ErrorCode::unsupported, "overflows of a thread of another process",
                          "only threads of this process can be called; sample it instead");
    }
    const int signal = overflow_signal();
    if (signal == 0) return base::fail(ErrorCode::busy, "no real-time signal is free");
    auto ring = RingBuffer::map(event, ring_pages);
    if (!ring) return ring.error();
    WatchSlot* entry = make_entry(event.fd());
    if (entry == nullptr) return base::fail(ErrorCode::unsupported, "too many open files");
    free_retired();
    auto work = std::unique_ptr<Work>(new Work{std::move(*ring), std::move(handler)});
    entry->work.store(work.get());
    std::unique_ptr<OverflowWatch> watch(new OverflowWatch(event.fd(), tid, std::move(work)));
    if (auto done = send_signals(event.fd(), tid, signal); !done) return done.error();
    return watch;
}

OverflowWatch::OverflowWatch(int fd, pid_t tid, std::unique_ptr<Work> work)
    : fd_(fd), tid_(tid), work_(std::move(work)) {}

OverflowWatch::~OverflowWatch() {
    WatchSlot* entry = entry_of(fd_);
    entry->work.store(nullptr);
    work_->ended = true;
    const bool in_its_thread = ::syscall(SYS_gettid) == tid_;
    while (!in_its_thread && entry->callers.load() != 0) ::sched_yield();
    // Callers in this thread are below us, in the handler.
    if (entry->callers.load() != 0) retire(work_.release());
}

}  // namespace ringside::perf
