#include "places/neighbour_guest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/error.h"
#include "measure/plan.h"

namespace ringside::places {

namespace {

using base::fail;

void make_readable(const base::Fd& fd) {
    ::eventfd_write(fd.get(), 1);
}

}  // namespace

NeighbourGuest::NeighbourGuest(std::string words, const GuestOptions& options,
                               measure::ProgressFn progress)
    : words_(std::move(words)),
      options_(options),
      progress_(std::move(progress)),
      cancel_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<void> NeighbourGuest::prepare() {
    auto command = measure::co_run_command(words_);
    if (!command) return command.error();
    if (!cancel_ || !news_) return base::fail_errno(errno, "cannot create an eventfd");
    // What it does without was said of the command's.
    auto request = embedded_guest(options_, [](std::string_view) {});
    if (!request) return request.error();
    request_ = std::move(*request);
    request_.command = std::move(*command);
    request_.timeout = std::chrono::hours(24);
    request_.cancel_fd = cancel_.get();
    request_.progress = [this](std::string_view line) { progress_(std::string(line)); };
    request_.started = [this](pid_t) { make_readable(news_); };
    return guest::prepare_box(request_.kind, request_.progress);
}

void NeighbourGuest::run() {
    const base::Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    request_.stdout_fd = request_.stderr_fd = nothing.get();
    const auto outcome = guest::run_box(request_);
    if (outcome) {
        exit_code_ = outcome->exit_code;
    } else {
        failure_ = outcome.error();
    }
    ended_ = true;
    make_readable(news_);
}

Result<void> NeighbourGuest::start(const measure::StopSignals& signals) {
    if (auto ready = prepare(); !ready) return ready;
    thread_ = std::thread([this] { run(); });
    pollfd waits[] = {{news_.get(), POLLIN, 0}, {signals.fd(), POLLIN, 0}};
    while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
    }
    if (waits[1].revents != 0) {
        stop();
        Error error = fail(ErrorCode::interrupted, "stopped");
        error.sys_errno = signals.taken();
        return error;
    }
    if (!ended_) return {};
    thread_.join();
    if (failure_) return *failure_;
    return fail(ErrorCode::io, fmt::format("{} ended at once, with {}", words_, exit_code_));
}

std::optional<std::string> NeighbourGuest::stop() {
    if (!thread_.joinable()) return std::nullopt;
    const bool ended_itself = ended_;
    make_readable(cancel_);
    thread_.join();
    if (!ended_itself) return std::nullopt;
    return fmt::format("{} did not run beside all the time: {}", words_,
                       failure_ ? failure_->what : fmt::format("it ended with {}", exit_code_));
}

}  // namespace ringside::places
