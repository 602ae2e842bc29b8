/* The counts of application I/O.
 *
 * Writers: the preloaded interposer (src/preload) in each process, 32-bit ones too, and io.bpf.c,
 * which keeps struct io_counts and struct io_file_counts in its maps.
 * Readers: the io component, in the same process or from the table's file, and `ringside io`.
 * Rule: no lock. A table is complete once its `magic` is there (release), a slot once its `state`
 * says so, a path once `used` is 1. Every word of a slot only grows, and only its own thread stores
 * to it; slot 0 is everybody's, by atomic additions. An ended thread's counts move to slot 0 while
 * `folding` is odd: who adds up slots reads it before and after, and begins again if it changed.
 * A reader takes each word by one load, and trusts no index or size in a file. */
#ifndef RINGSIDE_ABI_IO_TABLE_H
#define RINGSIDE_ABI_IO_TABLE_H

#include "abi/layout.h"

typedef unsigned int io_half;
#if __SIZEOF_POINTER__ == 4
typedef unsigned long long io_word __attribute__((aligned(8))); /* as in 64-bit programs */
#else
typedef unsigned long long io_word;
#endif

enum io_op {
    IO_READ,
    IO_WRITE,
    IO_RECV,
    IO_SEND,
    IO_OPEN,
    IO_CLOSE,
    IO_SEEK,
    IO_SELECT, /* select, poll and epoll_wait */
    IO_TIMED_OPS,
    /* The part of IO_READ and IO_WRITE that went through sockets; no histogram of their own. */
    IO_SOCK_READ = IO_TIMED_OPS,
    IO_SOCK_WRITE,
    IO_OPS,
};

struct io_op_counts {
    io_word calls;
    io_word bytes; /* for seeks: the sum of the absolute offsets asked for */
    io_word asked_bytes;
    io_word errors; /* interrupted and would_block included */
    io_word interrupted;
    io_word would_block;
    io_word short_calls; /* some bytes, fewer than asked for */
    io_word ends;        /* end of file, or the peer has closed */
    io_word timed;       /* calls that reached the kernel; ticks and histogram are about these */
    io_word ticks;
};
ABI_SIZE(io_op_counts, 80);

/* Log-linear: eight buckets for each power of two, so that a bucket is at most 12.5 % wide. The
 * last one takes whatever is longer, which is half an hour at 3 GHz. */
#define IO_SUB_BITS 3
#define IO_BUCKETS 320

struct io_counts {
    struct io_op_counts ops[IO_OPS];
    io_word histograms[IO_TIMED_OPS][IO_BUCKETS];
};
ABI_OFFSET(io_counts, histograms, 800);
ABI_SIZE(io_counts, 21280);

/* Of a number that is not 0. BPF has no instruction for it, and clang 14 no expansion. */
static inline io_half io_power_of_two(io_word number) {
#ifdef __bpf__
    io_half power = 0;
    for (io_half step = 32; step != 0; step /= 2) {
        if (number >> step) {
            number >>= step;
            power += step;
        }
    }
    return power;
#else
    return 63u - (io_half)__builtin_clzll(number);
#endif
}

static inline io_half io_bucket(io_word ticks) {
    if (ticks < (1u << IO_SUB_BITS)) return (io_half)ticks;
    io_half power = io_power_of_two(ticks);
    io_half index = ((power - IO_SUB_BITS + 1) << IO_SUB_BITS) +
                    (io_half)((ticks >> (power - IO_SUB_BITS)) & ((1u << IO_SUB_BITS) - 1));
    return index < IO_BUCKETS ? index : IO_BUCKETS - 1;
}

/* What went through one file. Receiving counts as reading here, and sending as writing. */
struct io_file_counts {
    io_word read_calls;
    io_word read_bytes;
    io_word read_ticks;
    io_word write_calls;
    io_word write_bytes;
    io_word write_ticks;
    io_word errors;
    io_word other_calls; /* seeks */
};
ABI_SIZE(io_file_counts, 64);

/* Row 0 of a table of files is for all that have no row of their own. */
#define IO_FILES 256
#define IO_PATH_BYTES 248

struct io_file {
    io_half hash;
    io_half used;             /* 1 once the path is whole */
    char path[IO_PATH_BYTES]; /* its end, where it is longer */
};
ABI_OFFSET(io_file, path, 8);
ABI_SIZE(io_file, 256);

enum io_slot_state { IO_SLOT_FREE, IO_SLOT_TAKEN };

/* One thread's. The thread alone writes it; what a signal handler counts while the thread itself is
 * counting goes to slot 0, and so does what threads without a slot count, by atomic additions. */
struct io_slot {
    io_half state;
    io_half tid;
    io_half generation; /* how often it was given to another thread */
    io_half unused;
    struct io_counts counts;
    struct io_file_counts files[IO_FILES];
};
ABI_OFFSET(io_slot, counts, 16);
ABI_OFFSET(io_slot, files, 21296);
ABI_SIZE(io_slot, 37680);

#define IO_SLOTS 512
#define IO_MAGIC 0x52494f31u /* "RIO1" */

enum io_clock {
    IO_CLOCK_NS,    /* ticks are nanoseconds of CLOCK_MONOTONIC */
    IO_CLOCK_TICKS, /* of the CPU's constant counter: TSC, CNTVCT_EL0 */
};

/* One process. A file of its own in the folder that RINGSIDE_IO_DIR names, or memory of the process
 * where that is not set. */
struct io_table {
    io_half magic;
    io_half pid;
    io_half parent;
    io_half clock;
    io_word start_ticks; /* both at one moment, so that a later pair gives the rate */
    io_word start_ns;
    io_half slots_used; /* may pass IO_SLOTS */
    io_half files_used; /* may pass IO_FILES */
    io_half folding;    /* odd while an ended thread's slot is added to slot 0 */
    io_half unused;
    char command[64];
    struct io_file files[IO_FILES];
    struct io_slot slots[IO_SLOTS];
};
ABI_OFFSET(io_table, start_ticks, 16);
ABI_OFFSET(io_table, folding, 40);
ABI_OFFSET(io_table, files, 112);
ABI_OFFSET(io_table, slots, 65648);
ABI_SIZE(io_table, 19357808);

#define IO_DIR_VARIABLE "RINGSIDE_IO_DIR"

#ifdef __cplusplus
/* What the interposer exports to the library in its process; found by dlsym. */
extern "C" {
/* The process's table, or null while it has none. */
typedef const struct io_table* io_table_function(void);
/* The calling thread's slot; slot 0 if it has none of its own. */
typedef const struct io_slot* io_slot_function(void);
/* While this counter of the calling thread is not 0, its calls are not counted. */
typedef int* io_own_depth_function(void);
}
#define IO_TABLE_SYMBOL "ringside_io_table"
#define IO_SLOT_SYMBOL "ringside_io_slot"
#define IO_OWN_DEPTH_SYMBOL "ringside_io_own_depth"
#endif

#endif
