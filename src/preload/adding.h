// Two ways to add to a word of the table: the owner of a slot has it for itself, others share.
#pragma once

#include "abi/io_table.h"

namespace ringside::preload {

// One writer. Readers in other threads and processes see whole words where the machine has 64 bits.
struct Plain {
    static void add(io_word& word, io_word amount) {
        __atomic_store_n(&word, __atomic_load_n(&word, __ATOMIC_RELAXED) + amount,
                         __ATOMIC_RELAXED);
    }
};

struct Atomic {
    static void add(io_word& word, io_word amount) {
        __atomic_fetch_add(&word, amount, __ATOMIC_RELAXED);
    }
};

}  // namespace ringside::preload
