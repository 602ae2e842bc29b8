// read, write and their relatives on descriptors.
#include <climits>

#include <fcntl.h>
#include <sys/uio.h>

#include "preload/counting.h"
#include "preload/real.h"

namespace ringside::preload {

namespace {

// The program's own vector; what is not a vector at all the kernel will refuse.
std::size_t bytes_in(const iovec* parts, int count) {
    if (parts == nullptr || count < 0 || count > IOV_MAX) return 0;
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
    return bytes;
}

// From file to file in the kernel: a read of one and a write of the other. Its time is the write's.
template <typename Call>
ssize_t between(int in_fd, int out_fd, std::size_t asked, Call call) {
    const ssize_t moved = transfer(IO_WRITE, out_fd, asked, call);
    if (!excluded()) {
        note({.op = IO_READ,
              .fd = in_fd,
              .bytes = moved > 0 ? static_cast<io_word>(moved) : 0,
              .asked_bytes = asked,
              .ended = ended(moved, asked, true)});
    }
    return moved;
}

}  // namespace

INTERPOSE(ssize_t, read, (int fd, void* to, std::size_t size)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(read)(fd, to, size); });
}
INTERPOSE_AS(ssize_t, read_chk, "__read_chk",
             (int fd, void* to, std::size_t size, std::size_t room)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(read_chk)(fd, to, size, room); });
}
INTERPOSE(ssize_t, write, (int fd, const void* from, std::size_t size)) {
    return transfer(IO_WRITE, fd, size, [&] { return REAL(write)(fd, from, size); });
}

INTERPOSE(ssize_t, pread, (int fd, void* to, std::size_t size, off_t at)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(pread)(fd, to, size, at); });
}
INTERPOSE(ssize_t, pread64, (int fd, void* to, std::size_t size, off64_t at)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(pread64)(fd, to, size, at); });
}
INTERPOSE_AS(ssize_t, pread_chk, "__pread_chk",
             (int fd, void* to, std::size_t size, off_t at, std::size_t room)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(pread_chk)(fd, to, size, at, room); });
}
INTERPOSE_AS(ssize_t, pread64_chk, "__pread64_chk",
             (int fd, void* to, std::size_t size, off64_t at, std::size_t room)) {
    return transfer(IO_READ, fd, size, [&] { return REAL(pread64_chk)(fd, to, size, at, room); });
}
INTERPOSE(ssize_t, pwrite, (int fd, const void* from, std::size_t size, off_t at)) {
    return transfer(IO_WRITE, fd, size, [&] { return REAL(pwrite)(fd, from, size, at); });
}
INTERPOSE(ssize_t, pwrite64, (int fd, const void* from, std::size_t size, off64_t at)) {
    return transfer(IO_WRITE, fd, size, [&] { return REAL(pwrite64)(fd, from, size, at); });
}

INTERPOSE(ssize_t, readv, (int fd, const iovec* parts, int count)) {
    return transfer(IO_READ, fd, bytes_in(parts, count),
                    [&] { return REAL(readv)(fd, parts, count); });
}
INTERPOSE(ssize_t, writev, (int fd, const iovec* parts, int count)) {
    return transfer(IO_WRITE, fd, bytes_in(parts, count),
                    [&] { return REAL(writev)(fd, parts, count); });
}
INTERPOSE(ssize_t, preadv, (int fd, const iovec* parts, int count, off_t at)) {
    return transfer(IO_READ, fd, bytes_in(parts, count),
                    [&] { return REAL(preadv)(fd, parts, count, at); });
}
INTERPOSE(ssize_t, preadv64, (int fd, const iovec* parts, int count, off64_t at)) {
    return transfer(IO_READ, fd, bytes_in(parts, count),
                    [&] { return REAL(preadv64)(fd, parts, count, at); });
}
INTERPOSE(ssize_t, preadv2, (int fd, const iovec* parts, int count, off_t at, int flags)) {
    return transfer(IO_READ, fd, bytes_in(parts, count),
                    [&] { return REAL(preadv2)(fd, parts, count, at, flags); });
}
INTERPOSE(ssize_t, preadv64v2, (int fd, const iovec* parts, int count, off64_t at, int flags)) {
    return transfer(IO_READ, fd, bytes_in(parts, count),
                    [&] { return REAL(preadv64v2)(fd, parts, count, at, flags); });
}
INTERPOSE(ssize_t, pwritev, (int fd, const iovec* parts, int count, off_t at)) {
    return transfer(IO_WRITE, fd, bytes_in(parts, count),
                    [&] { return REAL(pwritev)(fd, parts, count, at); });
}
INTERPOSE(ssize_t, pwritev64, (int fd, const iovec* parts, int count, off64_t at)) {
    return transfer(IO_WRITE, fd, bytes_in(parts, count),
                    [&] { return REAL(pwritev64)(fd, parts, count, at); });
}
INTERPOSE(ssize_t, pwritev2, (int fd, const iovec* parts, int count, off_t at, int flags)) {
    return transfer(IO_WRITE, fd, bytes_in(parts, count),
                    [&] { return REAL(pwritev2)(fd, parts, count, at, flags); });
}
INTERPOSE(ssize_t, pwritev64v2, (int fd, const iovec* parts, int count, off64_t at, int flags)) {
    return transfer(IO_WRITE, fd, bytes_in(parts, count),
                    [&] { return REAL(pwritev64v2)(fd, parts, count, at, flags); });
}

INTERPOSE(ssize_t, sendfile, (int out_fd, int in_fd, off_t* at, std::size_t size)) {
    return between(in_fd, out_fd, size, [&] { return REAL(sendfile)(out_fd, in_fd, at, size); });
}
INTERPOSE(ssize_t, sendfile64, (int out_fd, int in_fd, off64_t* at, std::size_t size)) {
    return between(in_fd, out_fd, size, [&] { return REAL(sendfile64)(out_fd, in_fd, at, size); });
}
INTERPOSE(ssize_t, copy_file_range,
          (int in_fd, off64_t* in_at, int out_fd, off64_t* out_at, std::size_t size,
           unsigned flags)) {
    return between(in_fd, out_fd, size, [&] {
        return REAL(copy_file_range)(in_fd, in_at, out_fd, out_at, size, flags);
    });
}
INTERPOSE(ssize_t, splice,
          (int in_fd, off64_t* in_at, int out_fd, off64_t* out_at, std::size_t size,
           unsigned flags)) {
    return between(in_fd, out_fd, size,
                   [&] { return REAL(splice)(in_fd, in_at, out_fd, out_at, size, flags); });
}

}  // namespace ringside::preload
