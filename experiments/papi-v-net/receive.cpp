// Receives over one interface of the guest, and says what the net component counted meanwhile.
//   receive INTERFACE RUNS BYTES...
// connects to the box's source of zeros for each transfer. One CSV row a transfer on stdout.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <ringside/clocks.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/text.h"
#include "components/net/net.h"

namespace {

using namespace ringside;

Result<base::Fd> connect_to_source() {
    base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in source{};
    source.sin_family = AF_INET;
    source.sin_port = htons(9);
    ::inet_pton(AF_INET, "10.0.2.100", &source.sin_addr);
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&source), sizeof source) != 0) {
        return base::fail_errno(errno, "cannot connect to 10.0.2.100:9");
    }
    return socket;
}

Result<void> receive(int socket, std::uint64_t bytes) {
    std::vector<char> buffer(1 << 16);
    while (bytes > 0) {
        const auto wanted = std::min<std::uint64_t>(bytes, buffer.size());
        const ssize_t count = ::recv(socket, buffer.data(), wanted, 0);
        if (count <= 0) return base::fail_errno(errno, "the source stopped sending");
        bytes -= static_cast<std::uint64_t>(count);
    }
    return {};
}

Result<session::CountersPtr> open_counters(const session::Component& net,
                                           const std::string& interface) {
    std::vector<session::ComponentEvent> events;
    for (const char* name : {":rx:bytes", ":rx:packets", ":tx:packets"}) {
        auto event = net.find(interface + name);
        if (!event) return event.error();
        events.push_back(std::move(*event));
    }
    return net.open(events, {});
}

Result<void> transfer(session::Counters& counters, std::uint64_t bytes) {
    auto socket = connect_to_source();
    if (!socket) return socket.error();
    if (auto begun = counters.start(); !begun) return begun;
    const std::uint64_t begin_ns = real_ns();
    if (auto done = receive(socket->get(), bytes); !done) return done;
    const std::uint64_t spent_ns = real_ns() - begin_ns;
    if (auto ended = counters.stop(); !ended) return ended;
    std::array<Reading, 3> counted;
    if (auto read = counters.read(counted); !read) return read;
    // "eth0 is emulated (e1000, Intel 82540EM)"
    fmt::print("\"{}\",{},{},{},{},{}\n", counters.explain(0), bytes, spent_ns, counted[0].value,
               counted[1].value, counted[2].value);
    std::fflush(stdout);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: receive INTERFACE RUNS BYTES...\n", stderr);
        return 2;
    }
    const auto net = components::net::make({});
    auto counters = open_counters(*net, argv[1]);
    if (!counters) {
        fmt::print(stderr, "receive: {}\n", counters.error().what);
        return 1;
    }
    fmt::print("interface,bytes,ns,rx_bytes,rx_packets,tx_packets\n");
    for (int i = 3; i < argc; ++i) {
        const auto bytes = base::parse_u64(argv[i]).value_or(0);
        for (std::uint64_t run = 0; run < base::parse_u64(argv[2]).value_or(1); ++run) {
            if (auto done = transfer(**counters, bytes); !done) {
                fmt::print(stderr, "receive: {}\n", done.error().what);
                return 1;
            }
        }
    }
    return 0;
}
