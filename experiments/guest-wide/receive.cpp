// In the guest: receives over one connection until its peer has sent all, the way a server does:
// waits in poll(), and answers each segment with a byte. First it asks for the filter table of
// iptables, which the kernel makes for the first who asks, so that every packet goes through it.
//   receive PORT BYTES
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <arpa/inet.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

int fail(const char* what) {
    std::perror(what);
    return 1;
}

void make_filter_table() {
    ipt_getinfo info{"filter", 0, {}, {}, 0, 0};
    socklen_t bytes = sizeof info;
    const int socket = ::socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    if (::getsockopt(socket, SOL_IP, IPT_SO_GET_INFO, &info, &bytes) != 0) {
        std::perror("no filter table");
    }
    ::close(socket);
}

int accept_one(int port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0) return -1;
    if (::listen(listener, 1) != 0) return -1;
    return ::accept(listener, nullptr, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: receive PORT BYTES\n", stderr);
        return 2;
    }
    make_filter_table();
    const int peer = accept_one(std::atoi(argv[1]));
    if (peer < 0) return fail("receive");
    // Who connects too early is answered by nobody.
    if (::write(peer, "!", 1) != 1) return fail("receive");
    std::array<char, 65536> buffer;
    const long long segment = std::atoll(argv[2]);
    long long received = 0;
    long long answered = 0;
    for (pollfd wait{peer, POLLIN, 0}; ::poll(&wait, 1, -1) == 1;) {
        const ssize_t count = ::read(peer, buffer.data(), buffer.size());
        if (count <= 0) break;
        received += count;
        for (; (answered + 1) * segment <= received; ++answered) {
            if (::write(peer, "!", 1) != 1) return fail("receive");
        }
    }
    std::printf("received %lld bytes\n", received);
    return 0;
}
