#include "cli/progress_line.h"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "report/record/record_report.h"

namespace ringside::cli {

ProgressLine::ProgressLine(const record::Recorder& recorder) : recorder_(recorder) {
    if (::isatty(STDERR_FILENO) == 0) return;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void ProgressLine::run() {
    constexpr std::chrono::milliseconds every(500);
    std::unique_lock lock(mutex_);
    bool shown = false;
    while (!ended_.wait_for(lock, every, [this] { return end_; })) {
        fmt::print(stderr, "\r\x1b[K{}", report::progress_text(recorder_.progress()));
        std::fflush(stderr);
        shown = true;
    }
    if (shown) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace ringside::cli
