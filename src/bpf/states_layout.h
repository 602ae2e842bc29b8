/* What states.bpf.c and its user-space half share: plain C, because both compilers read it. */
#ifndef RINGSIDE_BPF_STATES_LAYOUT_H
#define RINGSIDE_BPF_STATES_LAYOUT_H

#include <linux/types.h>

#include "bpf/follow_layout.h"

/* Group 0 means "none"; a thread can be in this many groups at once. */
#define STATES_GROUPS 1024
#define STATES_GROUPS_OF_THREAD 4
/* As many can live at once. A reading of many threads walks over the whole table. */
#define STATES_THREADS 16384

/* What is summed up for a group. The first are the states a thread is in: its whole life is made of
 * them, so that their sum is the summed lifetime of all members. All in nanoseconds, unless said
 * otherwise. */
enum states_sum {
    STATES_RUNNING = 0,
    STATES_WAITING = 1,  /* could run, another thread had the CPU */
    STATES_IO = 2,       /* not runnable, and waits for I/O as the kernel sees it (in_iowait) */
    STATES_BLOCKED = 3,  /* uninterruptible for another reason */
    STATES_PAGING = 4,   /* one of the two above, inside of a page fault */
    STATES_SLEEPING = 5, /* interruptible */
    STATES_STOPPED = 6,  /* by a signal, a debugger or the freezer */
    STATES_UNSEEN = 7,   /* a change of state was hidden from tracing */
    STATES_COUNT = 8,

    STATES_USER_TICKS = 8, /* task_struct.utime: what timer ticks found in user mode */
    STATES_SYSTEM_TICKS = 9,
    STATES_FAULT_CPU = 10,    /* part of RUNNING spent in handle_mm_fault(); if that is traced */
    STATES_MINOR_FAULTS = 11, /* number */
    STATES_MAJOR_FAULTS = 12, /* number */
    STATES_THREADS_SEEN = 13, /* number of threads that were members */
    STATES_THREADS_LOST = 14, /* number of those for which there was no room */
    /* the kernel's delay accounting */
    STATES_SWAPIN = 15,
    STATES_THRASHING = 16,
    STATES_RECLAIM = 17,
    STATES_COMPACT = 18,
    STATES_WPCOPY = 19,
    STATES_SUMS = 20,
};

#define STATES_DELAYS STATES_SWAPIN
#define STATES_DELAY_COUNT 5

struct states_group {
    __u64 sums[STATES_SUMS];
    __u64 follow; /* enum follow */
};

/* Not in the sums: a new row says it until its first event, or until join() knows better. */
#define STATES_UNKNOWN 255

/* What the scheduler knew of a thread when it was last seen. */
struct states_usage {
    __u64 user_ns;
    __u64 system_ns;
    __u64 minor_faults;
    __u64 major_faults;
    __u64 run_delay_ns;
    __u64 runtime_ns;
    __u64 delays_ns[STATES_DELAY_COUNT];
};

struct states_thread {
    __u64 since_ns; /* in `state`, or charged up to here */
    struct states_usage usage;
    /* The last time off the CPU, if it was STATES_IO or STATES_BLOCKED: a major fault counted while
     * running next was its reason. */
    __u64 blocked_ns;
    __u32 blocked_as;
    __u32 state;          /* enum states_sum below STATES_COUNT, or STATES_UNKNOWN */
    __u64 fault_since_ns; /* in a page fault, on a CPU, since; 0: in none */
    __u32 in_fault;
    __u32 padding;
    __u32 groups[STATES_GROUPS_OF_THREAD];
};

struct states_cpu {
    __u32 tid;    /* who came onto it at the last switch that was seen */
    __u32 member; /* whether that thread is in a group */
};

/* What join() returns. */
enum states_joined { STATES_JOINED = 0, STATES_GONE = 1, STATES_FULL = 2 };

#endif
