#include "guest/relay.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "guest/served_time.h"

namespace ringside::guest {

namespace {

// Also how long after its end a dead machine can go unnoticed.
constexpr int tick_ms = 50;

// How often a machine's time is looked up.
constexpr std::chrono::milliseconds look_every(250);

enum class Carried { all_there_is, to_the_end, too_much };

// What is there now, which is more than a pipe holds only if the machine goes on writing: one that
// never pauses must not keep us from its limit and from the other streams.
Carried carry(Stream& stream) {
    std::array<char, 65536> chunk;
    constexpr int most_chunks = 64;
    for (int i = 0; i < most_chunks; ++i) {
        const ssize_t got = ::read(stream.from.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN ? Carried::all_there_is : Carried::to_the_end;
        const auto bytes = static_cast<std::uint64_t>(got);
        if (bytes > stream.bytes_left) return Carried::too_much;
        stream.bytes_left -= bytes;
        stream.sink({chunk.data(), bytes});
    }
    return Carried::all_there_is;
}

bool wait_readable(const std::vector<Stream>& streams, int cancel_fd) {
    std::vector<pollfd> waits{{cancel_fd, POLLIN, 0}};
    for (const auto& stream : streams) waits.push_back({stream.from.get(), POLLIN, 0});
    ::poll(waits.data(), waits.size(), tick_ms);
    return (waits[0].revents & POLLIN) == 0;
}

}  // namespace

void LineSplitter::operator()(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto room = most_bytes - pending_.size();
        const bool whole = end <= room && end != std::string_view::npos;
        const auto part = bytes.substr(0, whole ? end : room);
        pending_ += part;
        bytes.remove_prefix(part.size() + (whole ? 1 : 0));
        if (!whole && pending_.size() < most_bytes) return;
        line_(pending_);
        pending_.clear();
    }
}

LineSplitter::~LineSplitter() {
    if (!pending_.empty()) line_(pending_);
}

Result<Stream> make_stream(Sink sink, base::Fd& write_end, std::uint64_t most_bytes) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::fail_errno(errno, "cannot make a pipe");
    base::Fd from(ends[0]);
    write_end = base::Fd(ends[1]);
    // Only our end: the machine waits when it has written more than we read.
    if (::fcntl(from.get(), F_SETFL, O_NONBLOCK) != 0) {
        return base::fail_errno(errno, "cannot set up a pipe");
    }
    return Stream{std::move(from), std::move(sink), most_bytes};
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
            if (!stream.from) continue;
            const Carried carried = carry(stream);
            if (carried == Carried::too_much) return RelayEnd::sent_too_much;
            // A pipe without a writer is always readable; once it has ended it is left alone.
            if (carried == Carried::to_the_end && ended) stream.from.reset();
        }
        if (ended) return RelayEnd::process_ended;
        if (Clock::now() < look_again) continue;
        if (served.passed() >= limit) return RelayEnd::timed_out;
        look_again = Clock::now() + look_every;
    }
}

}  // namespace ringside::guest
