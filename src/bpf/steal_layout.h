/* What steal.bpf.c and its user-space half share: plain C, because both compilers read it. */
#ifndef RINGSIDE_BPF_STEAL_LAYOUT_H
#define RINGSIDE_BPF_STEAL_LAYOUT_H

#include <linux/types.h>

#include "bpf/follow_layout.h"

/* Group 0 means "none"; a thread can be in this many groups at once. */
#define STEAL_GROUPS 1024
#define STEAL_GROUPS_OF_THREAD 4
#define STEAL_THREADS 65536
/* CPUs that one run of note_counters can go over; the verifier follows every turn of its loop. */
#define STEAL_CPUS_AT_ONCE 1024

/* Where a CPU's stolen time is read from. */
enum steal_source {
    STEAL_SOURCE_UNKNOWN = 0,
    STEAL_SOURCE_KVM = 1,       /* struct kvm_steal_time, which the host writes at every entry */
    STEAL_SOURCE_ARM_PV = 2,    /* struct pvclock_vcpu_stolen_time (Arm DEN0057A), likewise */
    STEAL_SOURCE_ACCOUNTED = 3, /* the kernel's own sum, brought up to date at its ticks */
};

/* Where a CPU's steal counters lie, seen from its struct rq, in bytes: all are per-CPU variables,
 * so the distance is the same on every CPU. Reading them this way needs no kallsyms, which leave
 * data symbols out on many guest kernels. 0: this kernel has none. */
struct steal_places {
    __s64 kvm;
    __s64 arm_pv;
    __s64 accounted;
};

/* Sums over the intervals in which a member of the group was on a CPU. */
struct steal_group {
    __u64 steal_ns;
    __u64 occupied_ns;
    __u64 cpu_ns;    /* what the scheduler charged to the members */
    __u64 intervals; /* context switches, about */
    /* How wrong steal_ns may be, because some kernels hide the switches of certain threads from
     * tracing. An interval that began with such a switch is taken to begin when the scheduler says,
     * and its steal is that since the last switch seen; of one whose end was not seen, the
     * scheduler says how long it was, and nobody what was stolen in it. */
    __u64 uncertain_ns;
    __u64 follow; /* enum follow */
};

/* One CPU: who is on it, since when, and what the last look at it showed. */
struct steal_cpu {
    __u64 start_ns;
    __u64 start_steal_ns;
    __u64 start_runtime_ns;
    __u64 counter; /* address of the CPU's steal counter in the kernel */
    __u64 steal_ns;
    __u64 subtracted_ns; /* steal the scheduler took out of CPU time so far */
    __u32 source;        /* enum steal_source */
    __u32 open;          /* the interval's sums are not taken yet */
    __u32 tid;
    __u32 groups[STEAL_GROUPS_OF_THREAD];
    __u32 padding;
};

struct steal_member {
    __u32 groups[STEAL_GROUPS_OF_THREAD];
    __u64 runtime_ns; /* the scheduler's sum for the thread, when it was seen last */
    __u64 seen;       /* it was, as a member of these groups */
};

#endif
