// stdio. libc refills and flushes its buffers by calls of its own that nobody can interpose, so
// each function is looked at from outside: FILE's buffer pointers, public since getc() was a macro,
// tell whether a call was served from the buffer or went to the kernel. Served from the buffer it
// is counted and not timed; else all of it is timed.
#pragma once

#include <cstdio>

#include <sys/single_threaded.h>

#include "preload/counting.h"

namespace ringside::preload {

// In memory, or made of the program's own functions: no file, and not counted.
inline bool is_counted(const FILE* stream) {
    return !excluded() && stream->_fileno >= 0;
}

inline bool has_failed(const FILE* stream) {
    return (stream->_flags & 0x20) != 0;  // what ferror() returns
}

// The end of a file is sticky (C11 7.21.7.1): once seen, libc does not ask the kernel again.
inline bool has_ended(const FILE* stream) {
    return (stream->_flags & 0x10) != 0;  // what feof() returns
}

// What is left to read in the buffer. Another thread may be using the stream: a wrong answer costs
// or saves two time stamps.
inline long readable(const FILE* stream) {
    return stream->_IO_read_end - stream->_IO_read_ptr;
}
inline long writable(const FILE* stream) {
    return stream->_IO_write_end - stream->_IO_write_ptr;
}
inline long pending(const FILE* stream) {
    return stream->_IO_write_ptr - stream->_IO_write_base;
}

// Where getc_unlocked() and putc_unlocked() were compiled in, they take from the buffer and put
// into it without a call. What changed between two calls is theirs: bytes that nobody called for.
struct StreamMark {
    const FILE* stream;
    long readable;
    long pending;
};
constexpr int marked_fds = 4096;
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
extern constinit StreamMark marks[marked_fds] __attribute__((visibility("hidden")));

inline StreamMark* mark_of(const FILE* stream) {
    return stream->_fileno < marked_fds ? &marks[stream->_fileno] : nullptr;
}
// Two threads on one stream would take each other's bytes for these; and ungetc() may have put
// another buffer in place.
inline bool can_be_marked(const FILE* stream) {
    constexpr int in_backup = 0x100;
    return __libc_single_threaded != 0 && (stream->_flags & in_backup) == 0;
}
void count_unseen(const FILE* stream, const StreamMark& mark);

// At the beginning and at the end of every counted call.
inline void catch_up(const FILE* stream) {
    const StreamMark* mark = mark_of(stream);
    if (mark == nullptr || mark->stream != stream || !can_be_marked(stream)) return;
    if (mark->readable != readable(stream) || mark->pending != pending(stream)) {
        count_unseen(stream, *mark);
    }
}
inline void remember(const FILE* stream) {
    StreamMark* mark = mark_of(stream);
    if (mark == nullptr) return;
    *mark = {can_be_marked(stream) ? stream : nullptr, readable(stream), pending(stream)};
}
// It is opened or closed.
inline void forget_stream(const FILE* stream) {
    forget_file(stream->_fileno);
    if (stream->_fileno >= 0 && stream->_fileno < marked_fds) marks[stream->_fileno] = {};
}

// Where reading stands; the difference of two tells what a call consumed.
struct ReadPlace {
    const char* base;
    const char* at;
    const char* end;

    explicit ReadPlace(const FILE* stream)
        : base(stream->_IO_read_base), at(stream->_IO_read_ptr), end(stream->_IO_read_end) {}

    bool refilled_since(const ReadPlace& before) const {
        return base != before.base || end != before.end || at < before.at;
    }
    // Right unless one call reads more than a whole buffer.
    std::size_t consumed_since(const ReadPlace& before) const {
        if (!refilled_since(before)) return static_cast<std::size_t>(at - before.at);
        return static_cast<std::size_t>((before.end - before.at) + (at - base));
    }
};

// `call` reads some part of the stream, for instance a line; `bytes_of` says how much, given its
// result and what the buffer shows. Nothing read is the end of the file, or an error.
template <typename Call, typename Bytes>
auto reading(FILE* stream, Call call, Bytes bytes_of) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const ReadPlace place(stream);
    const bool had_ended = has_ended(stream);
    const io_word before = now();
    const auto result = call();
    const io_word ticks = since(before);
    const ReadPlace after(stream);
    const std::size_t bytes = bytes_of(result, after.consumed_since(place));
    note({.op = IO_READ,
          .fd = stream->_fileno,
          .bytes = bytes,
          .asked_bytes = bytes,
          .ended = bytes != 0           ? Ended::fully
                   : has_failed(stream) ? Ended::error
                                        : Ended::end,
          .timed = !had_ended && (bytes == 0 || after.refilled_since(place)),
          .ticks = ticks});
    remember(stream);
    return result;
}

// `call` reads one character.
template <typename Call>
int reading_one(FILE* stream, Call call) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const bool buffered = readable(stream) > 0 || has_ended(stream);
    const io_word before = buffered ? 0 : now();
    const int result = call();
    const bool got = result != EOF;
    note({.op = IO_READ,
          .fd = stream->_fileno,
          .bytes = got ? 1u : 0u,
          .asked_bytes = 1,
          .ended = got                  ? Ended::fully
                   : has_failed(stream) ? Ended::error
                                        : Ended::end,
          .timed = !buffered,
          .ticks = buffered ? 0 : since(before)});
    remember(stream);
    return result;
}

// `call` writes `size` bytes; `written` says how many of them went well, given its result. If the
// buffer has not grown by just that many, some of it went to the kernel.
template <typename Call, typename Written>
auto writing(FILE* stream, std::size_t size, Call call, Written written) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const bool fits = static_cast<long>(size) < writable(stream);
    const long pending_before = pending(stream);
    const io_word before = fits ? 0 : now();
    const auto result = call();
    const io_word ticks = fits ? 0 : since(before);
    const std::size_t bytes = written(result);
    const bool flushed = !fits && pending(stream) - pending_before != static_cast<long>(bytes);
    note({.op = IO_WRITE,
          .fd = stream->_fileno,
          .bytes = bytes,
          .asked_bytes = size,
          .ended = bytes >= size ? Ended::fully : Ended::error,
          .timed = flushed,
          .ticks = ticks});
    remember(stream);
    return result;
}

// `call` writes as many bytes as it returns, or fails with a negative number.
template <typename Call>
int printing(FILE* stream, Call call) {
    if (!is_counted(stream)) return call();
    catch_up(stream);
    const long pending_before = pending(stream);
    const io_word before = now();
    const int result = call();
    const io_word ticks = since(before);
    const io_word bytes = result > 0 ? static_cast<io_word>(result) : 0;
    note({.op = IO_WRITE,
          .fd = stream->_fileno,
          .bytes = bytes,
          .asked_bytes = bytes,
          .ended = result < 0 ? Ended::error : Ended::fully,
          .timed = pending(stream) - pending_before != static_cast<long>(bytes),
          .ticks = ticks});
    remember(stream);
    return result;
}

}  // namespace ringside::preload
