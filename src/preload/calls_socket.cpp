// recv, send and their relatives. A receive of 0 bytes is the peer's end; datagrams have none, but
// an empty datagram looks the same.
#include <climits>

#include <sys/socket.h>

#include "preload/counting.h"
#include "preload/real.h"

namespace ringside::preload {

namespace {

std::size_t bytes_in(const msghdr* message) {
    if (message == nullptr || message->msg_iov == nullptr) return 0;
    if (message->msg_iovlen > static_cast<std::size_t>(IOV_MAX)) return 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < message->msg_iovlen; ++i) bytes += message->msg_iov[i].iov_len;
    return bytes;
}

// Several messages in one call, which returns how many.
template <typename Call>
int messages(io_op op, int fd, const mmsghdr* batch, Call call) {
    if (excluded()) return call();
    const io_word before = now();
    const int done = call();
    const io_word ticks = since(before);
    io_word bytes = 0;
    io_word asked = 0;
    for (int i = 0; i < done; ++i) {
        bytes += batch[i].msg_len;
        asked += bytes_in(&batch[i].msg_hdr);
    }
    note({.op = op,
          .fd = fd,
          .bytes = bytes,
          .asked_bytes = asked,
          .ended = done < 0        ? Ended::error
                   : bytes < asked ? Ended::part
                                   : Ended::fully,
          .timed = true,
          .ticks = ticks});
    return done;
}

}  // namespace

INTERPOSE(ssize_t, recv, (int fd, void* to, std::size_t size, int flags)) {
    return transfer(IO_RECV, fd, size, [&] { return REAL(recv)(fd, to, size, flags); });
}
INTERPOSE_AS(ssize_t, recv_chk, "__recv_chk",
             (int fd, void* to, std::size_t size, std::size_t room, int flags)) {
    return transfer(IO_RECV, fd, size, [&] { return REAL(recv_chk)(fd, to, size, room, flags); });
}
INTERPOSE(ssize_t, recvfrom,
          (int fd, void* to, std::size_t size, int flags, sockaddr* from, socklen_t* from_size)) {
    return transfer(IO_RECV, fd, size,
                    [&] { return REAL(recvfrom)(fd, to, size, flags, from, from_size); });
}
INTERPOSE_AS(ssize_t, recvfrom_chk, "__recvfrom_chk",
             (int fd, void* to, std::size_t size, std::size_t room, int flags, sockaddr* from,
              socklen_t* from_size)) {
    return transfer(IO_RECV, fd, size,
                    [&] { return REAL(recvfrom_chk)(fd, to, size, room, flags, from, from_size); });
}
INTERPOSE(ssize_t, recvmsg, (int fd, msghdr* message, int flags)) {
    return transfer(IO_RECV, fd, bytes_in(message),
                    [&] { return REAL(recvmsg)(fd, message, flags); });
}
INTERPOSE(int, recvmmsg, (int fd, mmsghdr* batch, unsigned count, int flags, timespec* limit)) {
    return messages(IO_RECV, fd, batch,
                    [&] { return REAL(recvmmsg)(fd, batch, count, flags, limit); });
}

INTERPOSE(ssize_t, send, (int fd, const void* from, std::size_t size, int flags)) {
    return transfer(IO_SEND, fd, size, [&] { return REAL(send)(fd, from, size, flags); });
}
INTERPOSE(ssize_t, sendto,
          (int fd, const void* from, std::size_t size, int flags, const sockaddr* to,
           socklen_t to_size)) {
    return transfer(IO_SEND, fd, size,
                    [&] { return REAL(sendto)(fd, from, size, flags, to, to_size); });
}
INTERPOSE(ssize_t, sendmsg, (int fd, const msghdr* message, int flags)) {
    return transfer(IO_SEND, fd, bytes_in(message),
                    [&] { return REAL(sendmsg)(fd, message, flags); });
}
INTERPOSE(int, sendmmsg, (int fd, mmsghdr* batch, unsigned count, int flags)) {
    return messages(IO_SEND, fd, batch, [&] { return REAL(sendmmsg)(fd, batch, count, flags); });
}

#if __SIZEOF_POINTER__ == 4  // programs built with 64-bit time
INTERPOSE_AS(ssize_t, recvmsg64, "__recvmsg64", (int fd, msghdr* message, int flags)) {
    return transfer(IO_RECV, fd, bytes_in(message),
                    [&] { return REAL(recvmsg64)(fd, message, flags); });
}
INTERPOSE_AS(ssize_t, sendmsg64, "__sendmsg64", (int fd, const msghdr* message, int flags)) {
    return transfer(IO_SEND, fd, bytes_in(message),
                    [&] { return REAL(sendmsg64)(fd, message, flags); });
}
INTERPOSE_AS(int, recvmmsg64, "__recvmmsg64",
             (int fd, mmsghdr* batch, unsigned count, int flags, void* limit)) {
    return messages(IO_RECV, fd, batch,
                    [&] { return REAL(recvmmsg64)(fd, batch, count, flags, limit); });
}
INTERPOSE_AS(int, sendmmsg64, "__sendmmsg64", (int fd, mmsghdr* batch, unsigned count, int flags)) {
    return messages(IO_SEND, fd, batch, [&] { return REAL(sendmmsg64)(fd, batch, count, flags); });
}
#endif

}  // namespace ringside::preload
