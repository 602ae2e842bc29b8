#include "guest/kernel_port.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "base/error.h"
#include "guest/retrieve.h"

namespace ringside::guest {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

// The last entry of an archive has this name; with its padding it ends at a multiple of 4. Behind
// it may be more padding.
bool is_whole(std::string_view archive) {
    constexpr std::size_t most_padding = 1024;
    constexpr std::string_view last = "TRAILER!!!";
    constexpr std::size_t name_bytes = 14;
    const auto end = archive.substr(archive.size() - std::min(archive.size(), most_padding));
    const auto at = end.find(last);
    return at != std::string_view::npos && end.size() - at >= name_bytes;
}

}  // namespace

Result<KernelPort> KernelPort::make(const fs::path& folder, Known known) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return base::fail_errno(errno, "cannot make a pair of sockets");
    }
    base::Fd ours(ends[0]);
    base::Fd machines(ends[1]);
    base::Fd answer(::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0));
    if (!answer || ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) {
        return base::fail_errno(errno, "cannot set up a socket");
    }
    return KernelPort(folder, std::move(known), std::move(ours), std::move(answer),
                      std::move(machines));
}

Port KernelPort::port() const {
    Port port;
    port.name = "kernel";
    port.socket = machine_end_.get();
    return port;
}

Stream KernelPort::stream() {
    return {std::move(from_), [this](std::string_view bytes) { take(bytes); }};
}

// Why not all is there; empty if it is.
std::string KernelPort::land() const {
    const auto missing = retrieve(archive_, {{"kernel", folder_.string()}});
    if (!missing) return missing.error().what;
    return missing->empty() ? "" : "nothing";
}

void KernelPort::take(std::string_view bytes) {
    if (answered_) return;
    const bool too_much = archive_.size() + bytes.size() > most_bytes;
    if (!too_much) archive_ += bytes;
    if (!too_much && !is_whole(archive_)) return;
    answered_ = true;
    const std::string why = too_much ? fmt::format("more than {} bytes", most_bytes) : land();
    archive_ = std::string();
    known_(why);
    // A machine that is gone hears nothing, and that must not end us.
    [[maybe_unused]] const auto sent = ::send(answer_.get(), "go\n", 3, MSG_NOSIGNAL);
}

}  // namespace ringside::guest
