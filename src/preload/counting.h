// Counting a call that was made. errno is the caller's and stays what the call left.
#pragma once

#include <cerrno>
#include <cstddef>

#include <sys/types.h>

#include "preload/files.h"
#include "preload/state.h"
#include "preload/ticks.h"

namespace ringside::preload {

enum class Ended { fully, part, end, error };

// A call as it ended. Ticks only if it reached the kernel.
struct Note {
    io_op op;
    int fd = -1;  // -1: about no descriptor
    io_word bytes = 0;
    io_word asked_bytes = 0;
    Ended ended = Ended::fully;
    bool timed = false;
    io_word ticks = 0;
    io_word calls = 1;  // 0: work of an earlier call, a flush
};

void note(const Note& note);

// How a transfer ended that returns the number of bytes, or -1.
inline Ended ended(ssize_t result, std::size_t asked, bool zero_is_end) {
    if (result < 0) return Ended::error;
    if (result == 0 && asked != 0) return zero_is_end ? Ended::end : Ended::part;
    return static_cast<std::size_t>(result) < asked ? Ended::part : Ended::fully;
}

inline bool takes_in(io_op op) {
    return op == IO_READ || op == IO_RECV;
}

// `call` transfers at most `asked` bytes and says how many, or -1.
template <typename Call>
ssize_t transfer(io_op op, int fd, std::size_t asked, Call call) {
    if (excluded()) return call();
    const io_word before = now();
    const ssize_t result = call();
    const io_word ticks = since(before);
    note({.op = op,
          .fd = fd,
          .bytes = result > 0 ? static_cast<io_word>(result) : 0,
          .asked_bytes = asked,
          .ended = ended(result, asked, takes_in(op)),
          .timed = true,
          .ticks = ticks});
    return result;
}

// `call` moves no bytes and returns a negative number when it fails.
template <typename Call>
auto timed(io_op op, Call call, io_word stride = 0) {
    if (excluded()) return call();
    const io_word before = now();
    const auto result = call();
    const io_word ticks = since(before);
    note({.op = op,
          .bytes = stride,
          .ended = result < 0 ? Ended::error : Ended::fully,
          .timed = true,
          .ticks = ticks});
    return result;
}

}  // namespace ringside::preload
