// Counting a call that was made. errno is the caller's and stays what the call left.
#pragma once

#include <cerrno>
#include <cstddef>

#include <sys/types.h>

#include "preload/adding.h"
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

// Into slot 0: the thread's own is not there, or is being written.
void note_shared(Note note, std::uint16_t file);
// The rarer ends; errno tells which error.
template <typename Adding>
void add_end(io_op_counts& op, Ended ended);

inline bool takes_in(io_op op) {
    return op == IO_READ || op == IO_RECV;
}

template <typename Adding>
[[gnu::always_inline]] inline void add_op(io_op_counts& op, const Note& note) {
    Adding::add(op.calls, note.calls);
    Adding::add(op.bytes, note.bytes);
    Adding::add(op.asked_bytes, note.asked_bytes);
    if (note.timed) {
        Adding::add(op.timed, 1);
        Adding::add(op.ticks, note.ticks);
    }
    if (__builtin_expect(note.ended != Ended::fully, 0)) add_end<Adding>(op, note.ended);
}

template <typename Adding>
[[gnu::always_inline]] inline void add_file(io_file_counts& file, const Note& note) {
    if (note.ended == Ended::error) Adding::add(file.errors, 1);
    if (takes_in(note.op)) {
        Adding::add(file.read_calls, note.calls);
        Adding::add(file.read_bytes, note.bytes);
        if (note.timed) Adding::add(file.read_ticks, note.ticks);
    } else if (note.op == IO_SEEK) {
        Adding::add(file.other_calls, 1);
    } else {
        Adding::add(file.write_calls, note.calls);
        Adding::add(file.write_bytes, note.bytes);
        if (note.timed) Adding::add(file.write_ticks, note.ticks);
    }
}

template <typename Adding>
[[gnu::always_inline]] inline void add(io_slot& slot, const Note& note, std::uint16_t file) {
    io_counts& counts = slot.counts;
    add_op<Adding>(counts.ops[note.op], note);
    if (note.timed) Adding::add(counts.histograms[note.op][io_bucket(note.ticks)], 1);
    if (note.fd < 0) return;
    add_file<Adding>(slot.files[row_of(file)], note);
    if (__builtin_expect((file & file_is_socket) != 0, 0)) {
        if (note.op == IO_READ) add_op<Adding>(counts.ops[IO_SOCK_READ], note);
        if (note.op == IO_WRITE) add_op<Adding>(counts.ops[IO_SOCK_WRITE], note);
    }
}

// Inlined everywhere, because at most places all but the numbers is known when it is compiled.
[[gnu::always_inline]] inline void note(const Note& note) {
    io_slot* slot = own_slot();
    if (__builtin_expect(slot == nullptr, 0)) return;
    const std::uint16_t file = note.fd < 0 ? 0 : file_of(note.fd);
    if (__builtin_expect(self.busy != 0, 0)) return note_shared(note, file);
    self.busy = is_updating;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    add<Plain>(*slot, note, file);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self.busy = 0;
}

// How a transfer ended that returns the number of bytes, or -1.
inline Ended ended(ssize_t result, std::size_t asked, bool zero_is_end) {
    if (result < 0) return Ended::error;
    if (result == 0 && asked != 0) return zero_is_end ? Ended::end : Ended::part;
    return static_cast<std::size_t>(result) < asked ? Ended::part : Ended::fully;
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
