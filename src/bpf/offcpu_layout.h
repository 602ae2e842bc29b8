/* What offcpu.bpf.c and its user-space half share: plain C, because both compilers read it. */
#ifndef RINGSIDE_BPF_OFFCPU_LAYOUT_H
#define RINGSIDE_BPF_OFFCPU_LAYOUT_H

#include <linux/types.h>

/* Threads that can be followed at once, stacks and sums that can be told apart in a recording. */
#define OFFCPU_THREADS 65536
#define OFFCPU_STACKS 65536
#define OFFCPU_SUMS 131072
#define OFFCPU_DEPTH 127

/* Why a thread did not execute. */
enum offcpu_kind {
    OFFCPU_SLEEPING = 0, /* it waits for something, interruptibly */
    OFFCPU_IO = 1,       /* for I/O, as the kernel sees it */
    OFFCPU_BLOCKED = 2,  /* uninterruptibly for another reason */
    OFFCPU_WAITING = 3,  /* it could run, another thread had the CPU */
    OFFCPU_STOLEN = 4,   /* it was on the CPU, which the hypervisor gave to others */
    OFFCPU_KINDS = 5,
};

struct offcpu_options {
    __u32 all; /* every thread, not only members */
    __u32 padding;
};

/* A thread that is off the CPU. */
struct offcpu_thread {
    __u64 since_ns;
    __u32 pid;
    __u32 kind;
    __s32 user_stack; /* negative: none could be taken */
    __s32 kernel_stack;
};

struct offcpu_key {
    __u32 pid;
    __u32 tid;
    __s32 user_stack;
    __s32 kernel_stack;
    __u32 kind;
};

struct offcpu_sum {
    __u64 total_ns;
    __u64 times;
};

/* Who came onto a CPU, and what was stolen from it by then. */
struct offcpu_cpu {
    __u64 counter;
    __u64 start_steal_ns;
    __u32 source;
    __u32 tid;
};

/* Indices of `losses`. */
enum offcpu_loss { OFFCPU_NO_ROOM = 0, OFFCPU_LOSSES = 1 };

#endif
