#include "guest/kernel_port.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_io.h"
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

Result<KernelPort> KernelPort::make(const fs::path& directory, const fs::path& folder,
                                    Known known) {
    const std::string fifo = (directory / "port.kernel.in").string();
    if (::mkfifo(fifo.c_str(), 0600) != 0) return base::fail_errno(errno, "cannot create " + fifo);
    // For both, so that opening it waits for nobody.
    base::Fd answer(::open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!answer) return base::fail_errno(errno, "cannot open " + fifo);
    return KernelPort(directory, folder, std::move(known), std::move(answer));
}

Port KernelPort::port() const {
    Port port;
    port.name = "kernel";
    port.path = pipes().string();
    port.both_ways = true;
    return port;
}

Result<Stream> KernelPort::stream() {
    return make_stream(pipes().string() + ".out", [this](std::string_view bytes) { take(bytes); });
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
    [[maybe_unused]] const auto written = base::write_all(answer_.get(), "go\n", "the box");
}

}  // namespace ringside::guest
