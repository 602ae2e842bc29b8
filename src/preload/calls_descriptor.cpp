// Opening, closing, seeking and waiting on descriptors.
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "preload/counting.h"
#include "preload/real.h"

namespace ringside::preload {

namespace {

template <typename Call>
int opening(const char* path, Call call) {
    const int fd = timed(IO_OPEN, call);
    if (fd >= 0) name_file(fd, path);
    return fd;
}

template <typename Offset, typename Call>
Offset seeking(int fd, Offset offset, Call call) {
    if (excluded()) return call();
    const io_word before = now();
    const Offset result = call();
    const io_word ticks = since(before);
    note({.op = IO_SEEK,
          .fd = fd,
          .bytes = static_cast<io_word>(offset < 0 ? -offset : offset),
          .ended = result < 0 ? Ended::error : Ended::fully,
          .timed = true,
          .ticks = ticks});
    return result;
}

}  // namespace

// Variadic in C; the mode, where there is one, comes in the same place either way.
INTERPOSE(int, open, (const char* path, int flags, mode_t mode)) {
    return opening(path, [&] { return REAL(open)(path, flags, mode); });
}
INTERPOSE(int, open64, (const char* path, int flags, mode_t mode)) {
    return opening(path, [&] { return REAL(open64)(path, flags, mode); });
}
INTERPOSE(int, openat, (int folder, const char* path, int flags, mode_t mode)) {
    return opening(path, [&] { return REAL(openat)(folder, path, flags, mode); });
}
INTERPOSE(int, openat64, (int folder, const char* path, int flags, mode_t mode)) {
    return opening(path, [&] { return REAL(openat64)(folder, path, flags, mode); });
}
INTERPOSE_AS(int, open_2, "__open_2", (const char* path, int flags)) {
    return opening(path, [&] { return REAL(open_2)(path, flags); });
}
INTERPOSE_AS(int, open64_2, "__open64_2", (const char* path, int flags)) {
    return opening(path, [&] { return REAL(open64_2)(path, flags); });
}
INTERPOSE_AS(int, openat_2, "__openat_2", (int folder, const char* path, int flags)) {
    return opening(path, [&] { return REAL(openat_2)(folder, path, flags); });
}
INTERPOSE_AS(int, openat64_2, "__openat64_2", (int folder, const char* path, int flags)) {
    return opening(path, [&] { return REAL(openat64_2)(folder, path, flags); });
}
INTERPOSE(int, creat, (const char* path, mode_t mode)) {
    return opening(path, [&] { return REAL(creat)(path, mode); });
}
INTERPOSE(int, creat64, (const char* path, mode_t mode)) {
    return opening(path, [&] { return REAL(creat64)(path, mode); });
}

// Forgotten first: once it is closed, another thread may have the number.
INTERPOSE(int, close, (int fd)) {
    forget_file(fd);
    return timed(IO_CLOSE, [&] { return REAL(close)(fd); });
}
INTERPOSE(int, close_range, (unsigned first, unsigned last, int flags)) {
    forget_files(first, last);
    return REAL(close_range)(first, last, flags);
}
INTERPOSE(void, closefrom, (int first)) {
    forget_files(first < 0 ? 0 : static_cast<unsigned>(first), ~0u);
    REAL(closefrom)(first);
}
INTERPOSE(int, dup2, (int from, int to)) {
    forget_file(to);
    return REAL(dup2)(from, to);
}
INTERPOSE(int, dup3, (int from, int to, int flags)) {
    forget_file(to);
    return REAL(dup3)(from, to, flags);
}

INTERPOSE(off_t, lseek, (int fd, off_t offset, int whence)) {
    return seeking(fd, offset, [&] { return REAL(lseek)(fd, offset, whence); });
}
INTERPOSE(off64_t, lseek64, (int fd, off64_t offset, int whence)) {
    return seeking(fd, offset, [&] { return REAL(lseek64)(fd, offset, whence); });
}

INTERPOSE(int, select, (int count, fd_set* in, fd_set* out, fd_set* except, timeval* limit)) {
    return timed(IO_SELECT, [&] { return REAL(select)(count, in, out, except, limit); });
}
INTERPOSE(int, pselect,
          (int count, fd_set* in, fd_set* out, fd_set* except, const timespec* limit,
           const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(pselect)(count, in, out, except, limit, mask); });
}
INTERPOSE(int, poll, (pollfd * fds, nfds_t count, int limit_ms)) {
    return timed(IO_SELECT, [&] { return REAL(poll)(fds, count, limit_ms); });
}
INTERPOSE_AS(int, poll_chk, "__poll_chk",
             (pollfd * fds, nfds_t count, int limit_ms, std::size_t room)) {
    return timed(IO_SELECT, [&] { return REAL(poll_chk)(fds, count, limit_ms, room); });
}
INTERPOSE(int, ppoll, (pollfd * fds, nfds_t count, const timespec* limit, const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(ppoll)(fds, count, limit, mask); });
}
INTERPOSE_AS(int, ppoll_chk, "__ppoll_chk",
             (pollfd * fds, nfds_t count, const timespec* limit, const sigset_t* mask,
              std::size_t room)) {
    return timed(IO_SELECT, [&] { return REAL(ppoll_chk)(fds, count, limit, mask, room); });
}
INTERPOSE(int, epoll_wait, (int fd, epoll_event* events, int count, int limit_ms)) {
    return timed(IO_SELECT, [&] { return REAL(epoll_wait)(fd, events, count, limit_ms); });
}
INTERPOSE(int, epoll_pwait,
          (int fd, epoll_event* events, int count, int limit_ms, const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(epoll_pwait)(fd, events, count, limit_ms, mask); });
}
INTERPOSE(int, epoll_pwait2,
          (int fd, epoll_event* events, int count, const timespec* limit, const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(epoll_pwait2)(fd, events, count, limit, mask); });
}

#if __SIZEOF_POINTER__ == 4  // programs built with 64-bit time
INTERPOSE_AS(int, select64, "__select64",
             (int count, fd_set* in, fd_set* out, fd_set* except, void* limit)) {
    return timed(IO_SELECT, [&] { return REAL(select64)(count, in, out, except, limit); });
}
INTERPOSE_AS(int, pselect64, "__pselect64",
             (int count, fd_set* in, fd_set* out, fd_set* except, const void* limit,
              const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(pselect64)(count, in, out, except, limit, mask); });
}
INTERPOSE_AS(int, ppoll64, "__ppoll64",
             (pollfd * fds, nfds_t count, const void* limit, const sigset_t* mask)) {
    return timed(IO_SELECT, [&] { return REAL(ppoll64)(fds, count, limit, mask); });
}
#endif

}  // namespace ringside::preload
