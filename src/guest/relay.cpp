#include "guest/relay.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "guest/served_time.h"

namespace ringside::guest {

namespace {

// Also how long after its end a dead machine can go unnoticed.
constexpr int tick_ms = 50;

// How often a machine's time is looked up.
constexpr std::chrono::milliseconds look_every(250);

// All that is there now. False when the writer is gone and nothing is left.
bool carry(Stream& stream) {
    std::array<char, 65536> chunk;
    while (true) {
        const ssize_t got = ::read(stream.from.get(), chunk.data(), chunk.size());
        if (got > 0) {
            stream.sink({chunk.data(), static_cast<std::size_t>(got)});
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else {
            return got < 0 && errno == EAGAIN;
        }
    }
}

bool wait_readable(const std::vector<Stream>& streams, int cancel_fd) {
    std::vector<pollfd> waits{{cancel_fd, POLLIN, 0}};
    for (const auto& stream : streams) waits.push_back({stream.from.get(), POLLIN, 0});
    ::poll(waits.data(), waits.size(), tick_ms);
    return (waits[0].revents & POLLIN) == 0;
}

}  // namespace

void LineSplitter::operator()(std::string_view bytes) {
    pending_ += bytes;
    for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
        line_(std::string_view(pending_).substr(0, end));
        pending_.erase(0, end + 1);
    }
}

LineSplitter::~LineSplitter() {
    if (!pending_.empty()) line_(pending_);
}

Result<Stream> make_stream(const fs::path& fifo, Sink sink) {
    if (::mkfifo(fifo.c_str(), 0600) != 0) {
        return base::fail_errno(errno, "cannot create " + fifo.string());
    }
    base::Fd fd(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return base::fail_errno(errno, "cannot open " + fifo.string());
    return Stream{std::move(fd), std::move(sink)};
}

RelayEnd relay(std::vector<Stream>& streams, base::Child& process, std::chrono::milliseconds limit,
               int cancel_fd) {
    using Clock = std::chrono::steady_clock;
    ServedTime served(process.pid());
    auto look_again = Clock::now() + look_every;
    while (true) {
        if (!wait_readable(streams, cancel_fd)) return RelayEnd::cancelled;
        // Asked before reading: what a process wrote is in the pipes by the time it has ended.
        const auto status = process.poll();
        const bool ended = !status || status->has_value();
        for (auto& stream : streams) {
            // A pipe without a writer is always readable; once it has ended it is left alone.
            if (stream.from && !carry(stream) && ended) stream.from.reset();
        }
        if (ended) return RelayEnd::process_ended;
        if (Clock::now() < look_again) continue;
        if (served.passed() >= limit) return RelayEnd::timed_out;
        look_again = Clock::now() + look_every;
    }
}

}  // namespace ringside::guest
