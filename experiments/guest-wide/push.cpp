// On the machine that runs the guest: sends segments into it through a port of the loopback
// interface that leads there, each when the one before was answered, so that the guest has an
// interrupt for each of them however busy both machines are.
//   push PORT SEGMENTS BYTES
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

// A guest that listens says so; before, the connection ends at once.
int connect_when_ready(int port, Clock::time_point deadline) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (Clock::now() < deadline) {
        const int peer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        char hello = 0;
        const bool ready =
            ::connect(peer, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0 &&
            ::read(peer, &hello, 1) == 1;
        if (ready) return peer;
        ::close(peer);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return -1;
}

bool send_all(int peer, const std::vector<char>& segment) {
    std::size_t sent = 0;
    while (sent < segment.size()) {
        const ssize_t count =
            ::send(peer, segment.data() + sent, segment.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: push PORT SEGMENTS BYTES\n", stderr);
        return 2;
    }
    const int peer = connect_when_ready(std::atoi(argv[1]), Clock::now() + std::chrono::minutes(4));
    if (peer < 0) {
        std::fputs("push: nobody listens in the guest\n", stderr);
        return 1;
    }
    const int on = 1;
    ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::vector<char> segment(static_cast<std::size_t>(std::atol(argv[3])), 'x');
    char answer = 0;
    for (long i = std::atol(argv[2]); i > 0; --i) {
        if (!send_all(peer, segment) || ::read(peer, &answer, 1) != 1) {
            std::perror("push");
            return 1;
        }
    }
    // Until the guest has closed its side.
    ::shutdown(peer, SHUT_WR);
    return ::read(peer, &answer, 1) == 0 ? 0 : 1;
}
