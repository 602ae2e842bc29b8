// Opening, closing, flushing and positioning streams.
#include <cstdint>

#include "preload/real.h"
#include "preload/streams.h"

namespace ringside::preload {

constinit StreamMark marks[marked_fds]{};

void count_unseen(const FILE* stream, const StreamMark& mark) {
    const long taken = mark.readable - readable(stream);
    const long put = pending(stream) - mark.pending;
    if (taken > 0) {
        note({.op = IO_READ,
              .fd = stream->_fileno,
              .bytes = static_cast<io_word>(taken),
              .asked_bytes = static_cast<io_word>(taken),
              .calls = 0});
    }
    if (put > 0) {
        note({.op = IO_WRITE,
              .fd = stream->_fileno,
              .bytes = static_cast<io_word>(put),
              .asked_bytes = static_cast<io_word>(put),
              .calls = 0});
    }
}

namespace {

template <typename Call>
FILE* opening_stream(const char* path, Call call) {
    if (excluded()) return call();
    const io_word before = now();
    FILE* stream = call();
    const io_word ticks = since(before);
    note({.op = IO_OPEN,
          .ended = stream == nullptr ? Ended::error : Ended::fully,
          .timed = true,
          .ticks = ticks});
    if (stream != nullptr) {
        forget_stream(stream);
        name_file(stream->_fileno, path);
    }
    return stream;
}

// A stream's seek may end in its buffer, which cannot be told from outside: not timed.
template <typename Call>
int seeking(FILE* stream, std::int64_t offset, Call call) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const int result = call();
    note({.op = IO_SEEK,
          .fd = stream->_fileno,
          .bytes = static_cast<io_word>(offset < 0 ? -offset : offset),
          .ended = result != 0 ? Ended::error : Ended::fully});
    remember(stream);
    return result;
}

// The bytes were counted when they were written; this is the time they still owed.
template <typename Call>
int flushing(FILE* stream, Call call) {
    if (stream == nullptr || !is_counted(stream)) return call();
    catch_up(stream);
    const bool flushes = pending(stream) > 0;
    const io_word before = now();
    const int result = call();
    const io_word ticks = since(before);
    remember(stream);
    if (!flushes) return result;
    note({.op = IO_WRITE,
          .fd = stream->_fileno,
          .ended = result != 0 ? Ended::error : Ended::fully,
          .timed = true,
          .ticks = ticks,
          .calls = 0});
    return result;
}

}  // namespace

INTERPOSE(FILE*, fopen, (const char* path, const char* mode)) {
    return opening_stream(path, [&] { return REAL(fopen)(path, mode); });
}
INTERPOSE(FILE*, fopen64, (const char* path, const char* mode)) {
    return opening_stream(path, [&] { return REAL(fopen64)(path, mode); });
}
INTERPOSE(FILE*, freopen, (const char* path, const char* mode, FILE* stream)) {
    forget_stream(stream);
    return opening_stream(path, [&] { return REAL(freopen)(path, mode, stream); });
}
INTERPOSE(FILE*, freopen64, (const char* path, const char* mode, FILE* stream)) {
    forget_stream(stream);
    return opening_stream(path, [&] { return REAL(freopen64)(path, mode, stream); });
}

INTERPOSE(int, fclose, (FILE * stream)) {
    if (!is_counted(stream)) return REAL(fclose)(stream);
    catch_up(stream);
    forget_stream(stream);
    return timed(IO_CLOSE, [&] { return REAL(fclose)(stream); });
}
INTERPOSE(int, pclose, (FILE * stream)) {
    forget_stream(stream);
    return REAL(pclose)(stream);
}

INTERPOSE(int, fflush, (FILE * stream)) {
    return flushing(stream, [&] { return REAL(fflush)(stream); });
}
INTERPOSE(int, fflush_unlocked, (FILE * stream)) {
    return flushing(stream, [&] { return REAL(fflush_unlocked)(stream); });
}

INTERPOSE(int, fseek, (FILE * stream, long offset, int whence)) {
    return seeking(stream, offset, [&] { return REAL(fseek)(stream, offset, whence); });
}
INTERPOSE(int, fseeko, (FILE * stream, off_t offset, int whence)) {
    return seeking(stream, offset, [&] { return REAL(fseeko)(stream, offset, whence); });
}
INTERPOSE(int, fseeko64, (FILE * stream, off64_t offset, int whence)) {
    return seeking(stream, offset, [&] { return REAL(fseeko64)(stream, offset, whence); });
}
INTERPOSE(int, fsetpos, (FILE * stream, const fpos_t* place)) {
    return seeking(stream, 0, [&] { return REAL(fsetpos)(stream, place); });
}
INTERPOSE(int, fsetpos64, (FILE * stream, const fpos64_t* place)) {
    return seeking(stream, 0, [&] { return REAL(fsetpos64)(stream, place); });
}
INTERPOSE(void, rewind, (FILE * stream)) {
    seeking(stream, 0, [&] {
        REAL(rewind)(stream);
        return 0;
    });
}

}  // namespace ringside::preload
