#include "record/readers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

namespace ringside::record {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds look_every(250);
constexpr std::size_t buffers_each = 4;

// Signals are for whoever started the recording; new threads inherit the mask.
class AllSignalsBlocked {
  public:
    AllSignalsBlocked() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
    ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

}  // namespace

std::size_t reader_count(std::size_t buffers) {
    const std::size_t shares = (buffers + buffers_each - 1) / buffers_each;
    return std::max(shares, std::min<std::size_t>(buffers, 2));
}

Result<std::unique_ptr<Readers>> Readers::start(Buffers& buffers, Store& store,
                                                std::function<void()> regularly) {
    base::Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake) return base::fail_errno(errno, "cannot make an eventfd");
    std::unique_ptr<Readers> readers(
        new Readers(buffers, store, std::move(regularly), std::move(wake)));
    const AllSignalsBlocked blocked;
    const std::span<CpuBuffer> all(buffers.rings());
    const std::size_t count = reader_count(all.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = all.size() * i / count;
        const auto share = all.subspan(from, all.size() * (i + 1) / count - from);
        readers->threads_.emplace_back([&self = *readers, i, share] { self.run(i, share); });
    }
    return readers;
}

void Readers::stop() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

void Readers::run(std::size_t number, std::span<CpuBuffer> share) {
    std::vector<pollfd> waits;
    for (const auto& buffer : share) waits.push_back({buffer.fd, POLLIN, 0});
    waits.push_back({wake_.get(), POLLIN, 0});
    auto next_look = Clock::now() + look_every;
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look - Clock::now());
        ::poll(waits.data(), waits.size(), static_cast<int>(std::max<long>(left.count(), 0)));
        const bool stopping = waits.back().revents != 0;
        // Of threads that ended, poll() would report the same again and again.
        for (auto& wait : waits)
            if ((wait.revents & (POLLHUP | POLLERR)) != 0) wait.fd = -1;
        pass(number, share);
        if (stopping) return;
        if (Clock::now() < next_look) continue;
        next_look = Clock::now() + look_every;
        if (number == 0) regularly_();
    }
}

void Readers::pass(std::size_t number, std::span<CpuBuffer> share) {
    store_.pass_begins(number);
    for (auto& buffer : share) store_.take(buffer.ring);
    store_.pass_ends(number);
    if (store_.failure()) buffers_.disable();
}

}  // namespace ringside::record
