#include "preload/counting.h"

namespace ringside::preload {

template <typename Adding>
void add_end(io_op_counts& op, Ended ended) {
    switch (ended) {
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
template void add_end<Plain>(io_op_counts& op, Ended ended);
template void add_end<Atomic>(io_op_counts& op, Ended ended);

void note_shared(Note note, std::uint16_t file) {
    add<Atomic>(state.table->slots[0], note, file);
}

}  // namespace ringside::preload
