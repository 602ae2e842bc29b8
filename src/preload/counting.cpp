#include "preload/counting.h"

#include "preload/adding.h"

namespace ringside::preload {

namespace {

template <typename Adding>
void add_end(io_op_counts& op, const Note& note) {
    switch (note.ended) {
        case Ended::fully:
            break;
        case Ended::part:
            Adding::add(op.short_calls, 1);
            break;
        case Ended::end:
            Adding::add(op.ends, 1);
            break;
        case Ended::error:
            Adding::add(op.errors, 1);
            if (errno == EINTR) Adding::add(op.interrupted, 1);
            if (errno == EAGAIN) Adding::add(op.would_block, 1);
            break;
    }
}

template <typename Adding>
void add_op(io_op_counts& op, const Note& note) {
    Adding::add(op.calls, note.calls);
    Adding::add(op.bytes, note.bytes);
    Adding::add(op.asked_bytes, note.asked_bytes);
    if (note.timed) {
        Adding::add(op.timed, 1);
        Adding::add(op.ticks, note.ticks);
    }
    if (__builtin_expect(note.ended != Ended::fully, 0)) add_end<Adding>(op, note);
}

template <typename Adding>
void add_file(io_file_counts& file, const Note& note) {
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
void add(io_slot& slot, const Note& note, std::uint16_t file) {
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

}  // namespace

void note(const Note& note) {
    io_slot* slot = own_slot();
    if (__builtin_expect(slot == nullptr, 0)) return;
    const std::uint16_t file = note.fd < 0 ? 0 : file_of(note.fd);
    if (__builtin_expect(self.updating || self.shared || self.claiming, 0)) {
        add<Atomic>(state.table->slots[0], note, file);
        return;
    }
    self.updating = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    add<Plain>(*slot, note, file);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self.updating = false;
}

}  // namespace ringside::preload
